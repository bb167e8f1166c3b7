# SPDX-License-Identifier: Apache-2.0
"""The page of a run from Python."""
import html
import re
import subprocess
import sys

import cleave
import pytest


@pytest.fixture(scope="module")
def page():
    try:
        return cleave.report("pendulum", time=0.2)
    except cleave.UsageError as absent:
        if "Node.js" not in str(absent):
            raise
        pytest.skip("built without the viewer")


def test_a_notebook_shows_the_page_in_a_frame(page):
    assert page.html.startswith("<!DOCTYPE html>") and page.html.rstrip().endswith("</html>")
    frame = page._repr_html_()
    inside = re.fullmatch(r'<iframe [^>]* srcdoc="([^"]*)"></iframe>', frame)
    assert inside and html.unescape(inside[1]) == page.html


def test_a_page_is_saved_once(page, tmp_path):
    page.save(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page.html
    with pytest.raises(FileExistsError):
        page.save(tmp_path / "p.html")


def test_models_in_code_and_run_files_have_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "skin.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    m = cleave.Model("ball")
    m.body("b", mass=1, inertia=(1, 1, 1))
    m.visual("skin", "b", mesh="skin.obj", scale=0.5)
    assert '"points":4' in cleave.report(m, time=0.1, every=0.05, rtol=1e-4).html.replace(" ", "")
    assert cleave.verify(m, time=0.01)["status"] == "ok"  # in another folder
    subprocess.run([sys.executable, "-m", "cleave", "run", "pendulum", "--time", "0.1", "--out", "p.cleave"], check=True,
                   capture_output=True)
    assert "id=\"run1\"" in cleave.report("p.cleave", "p.cleave").html


def test_wrong_use_is_refused(page):
    with pytest.raises(cleave.UsageError, match="a run file has its time"):
        cleave.report("p.cleave", time=1)
    with pytest.raises(cleave.UsageError, match="two run files"):
        cleave.report("pendulum", "p.cleave")
    with pytest.raises(cleave.UsageError, match="none"):
        cleave.report("none.cleave")
