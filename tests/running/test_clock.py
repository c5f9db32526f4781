"""A second belongs to one phase."""

from __future__ import annotations

from contextlib import suppress

from mt_gate.running.clock import Clock


def test_a_phase_within_another_is_not_counted_twice() -> None:
    pass_time = [0.0]
    clock = Clock(lambda: pass_time[-1])
    with clock.phase("judge"):
        pass_time.append(1.0)
        with clock.phase("predict"):
            pass_time.append(11.0)
            with clock.phase("export"):
                pass_time.append(15.0)
        pass_time.append(16.0)
        with clock.phase("predict"):
            pass_time.append(18.0)
        pass_time.append(19.0)
    pass_time.append(20.0)
    found = clock.timing()
    assert (found.judge, found.predict, found.export, found.total) == (3.0, 12.0, 4.0, 20.0)


def test_phases_one_after_the_other_and_one_that_fails() -> None:
    pass_time = [0.0]
    clock = Clock(lambda: pass_time[-1])
    with clock.phase("load"):
        pass_time.append(2.0)
    with suppress(ValueError), clock.phase("compare"):
        pass_time.append(5.0)
        raise ValueError
    with clock.phase("load"):
        pass_time.append(6.0)
    found = clock.timing()
    assert (found.load, found.compare, found.judge, found.total) == (3.0, 3.0, 0.0, 6.0)
