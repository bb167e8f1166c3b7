flex: 1
mass: 2
com: [0.55, 0, 0]
inertia: [0.01, 0.95, 0.95, 0, 0, 0]
spin_limit: 0
modal_mass: [1]
stiffness: [60]
momentum: [[0, 0.78, 0]]
moments: [[0, 1.2, 0, 0, 0, 0, 0, 0, 0]]
products: [[0, 0, 0, 0, 1, 0, 0, 0, 0]]
nodes: {tip: {position: [2.1, 0, 0], shapes: [[0, 2, 0, 0, 0, 1.4]]}}
