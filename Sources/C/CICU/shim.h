#pragma once
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/usprep.h>
#include <unicode/uidna.h>
#include <unicode/ustring.h>
#include <unicode/uscript.h>
#include <unicode/ubidi.h>
