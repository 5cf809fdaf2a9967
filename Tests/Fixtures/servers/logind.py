#!/usr/bin/python3
"""Stands in for logind on a system bus of its own; alive as long as standard input is open.

The first output line is {"address": A}, for DBUS_SYSTEM_BUS_ADDRESS; then {"ev":"inhibited"} when somebody holds sleep
up and {"ev":"released"} when nobody does any more. Commands, one a line: `lock mine`, `lock other` (a session of
another user), `lock unknown` (one that is gone), `sleep`, `wake`.

It needs Debian's python3-dbus and python3-gi, so it runs by Debian's own Python whatever starts it.
"""
import json
import os
import subprocess
import sys
import tempfile

if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3"):
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME, ROOT = "org.freedesktop.login1", "/org/freedesktop/login1"
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
<allow send_type="signal"/><allow receive_sender="*"/></policy></busconfig>
"""


def tell(**members):
    print(json.dumps(members), flush=True)


class Manager(dbus.service.Object):
    @dbus.service.method(NAME + ".Manager", in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        if (what, mode) != ("sleep", "delay"):
            raise dbus.DBusException("not what is wanted here")
        ours, theirs = os.pipe()
        GLib.io_add_watch(ours, GLib.IO_HUP, self.released)
        tell(ev="inhibited")
        descriptor = dbus.types.UnixFd(theirs)
        os.close(theirs)
        return descriptor

    def released(self, descriptor, condition):
        os.close(descriptor)
        tell(ev="released")
        return False

    @dbus.service.signal(NAME + ".Manager", signature="b")
    def PrepareForSleep(self, begins):
        pass


class Session(dbus.service.Object):
    def __init__(self, bus, path, user):
        super().__init__(bus, path)
        self.user = user

    @dbus.service.signal(NAME + ".Session", signature="")
    def Lock(self):
        pass

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        if name != "User" or self.user is None:
            raise dbus.DBusException("no such property")
        path = dbus.ObjectPath(f"{ROOT}/user/_{self.user}")
        return dbus.Struct((dbus.UInt32(self.user), path), signature="uo", variant_level=1)


def serve(bus):
    name = dbus.service.BusName(NAME, bus, do_not_queue=True)
    manager = Manager(bus, ROOT)
    sessions = {
        "mine": Session(bus, ROOT + "/session/_31", os.getuid()),
        "other": Session(bus, ROOT + "/session/_32", os.getuid() + 1),
        "unknown": Session(bus, ROOT + "/session/_33", None),
    }
    loop = GLib.MainLoop()

    pending = b""

    def command(descriptor, condition):
        nonlocal pending
        # Not by readline: what it reads ahead would wait for the next line.
        got = os.read(descriptor, 4096)
        if not got:
            loop.quit()
            return False
        *lines, pending = (pending + got).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words[0] == "lock":
                sessions[words[1]].Lock()
            else:
                manager.PrepareForSleep(words[0] == "sleep")
        return True

    GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, command)
    loop.run()
    return name


def main():
    with tempfile.TemporaryDirectory() as folder:
        configuration = os.path.join(folder, "bus.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(path=os.path.join(folder, "bus")))
        daemon = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--print-address=1", "--config-file=" + configuration],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            address = daemon.stdout.readline().strip()
            DBusGMainLoop(set_as_default=True)
            bus = dbus.bus.BusConnection(address)
            bus.set_exit_on_disconnect(False)
            tell(address=address)
            serve(bus)
        finally:
            daemon.terminate()
            daemon.wait()


main()
