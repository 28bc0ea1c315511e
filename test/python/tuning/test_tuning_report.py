"""What a tuning prints: a table with reasons, and a progress bar on a terminal only."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import textwrap

import pytest
from tuned_kernels import configs_of, launch_scale, tuned


def test_the_table_has_each_configuration(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    kernel = tuned(configs=configs_of(1 << 21, 64, 128))
    chosen = launch_scale(kernel)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("tilewright: scale: tuned for (1000, 'float32', 'float32') in ")
    assert lines[0].endswith(f"chose {chosen}")
    assert " ms (1.00)  " in lines[1] and str(chosen) in lines[1]
    assert any("compiling: " in line and "BLOCK: 2097152" in line for line in lines)
    launch_scale(tuned(configs=configs_of(1 << 21, 64, 128)))
    assert capsys.readouterr().err == (
        f"tilewright: scale: the store has {chosen} for (1000, 'float32', 'float32')\n"
    )


def test_tritons_setting_prints_the_table(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    launch_scale(tuned())
    assert "tilewright: scale: tuned for " in capsys.readouterr().err


def test_nothing_is_printed_unless_asked_for(capsys) -> None:
    launch_scale(tuned())
    assert capsys.readouterr().err == ""


PROGRAM = textwrap.dedent(
    f"""
    import sys
    sys.path.insert(0, {os.path.dirname(__file__)!r})
    from tuned_kernels import *
    launch_scale(tuned(configs=configs_of(2, 64, 128)), n=1 << 18)
    """
)


def test_a_terminal_shows_a_progress_bar() -> None:
    pytest.importorskip("tqdm")
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    os.set_blocking(ours, False)
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, stderr=terminal)
    # The other end stays open until all is read: what is unread is lost when it closes.
    text = os.read(ours, 1 << 16)
    os.close(terminal)
    os.close(ours)
    assert b"tuning scale" in text and b"best" in text and b"0/3" in text


def test_a_pipe_shows_none() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True)
    assert done.stderr == b""
