/* SPDX-License-Identifier: Apache-2.0
 * Cookies of the description structs: a description that did not come from its default function is refused.  Private
 * to src/model. */
#ifndef CLV_MODEL_DESCRIBE_H
#define CLV_MODEL_DESCRIBE_H

enum {
    CLV_COOKIE_BODY = 0x63760001,
    CLV_COOKIE_JOINT,
    CLV_COOKIE_FORCE,
    CLV_COOKIE_MOTION,
    CLV_COOKIE_COUPLING,
    CLV_COOKIE_MARKER,
    CLV_COOKIE_INPUT,
    CLV_COOKIE_EVENT,
    CLV_COOKIE_VISUAL,
    CLV_COOKIE_SHAPE
};

#endif
