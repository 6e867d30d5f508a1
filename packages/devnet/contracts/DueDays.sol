// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Frequency} from "./Types.sol";

/// Converts a day number to the calendar of each frequency, and prorates amounts.
library DueDays {
    uint256 private constant DAYS_IN_400_YEARS = 146097;

    struct CalendarDay {
        uint256 weekDay; // 1 = Monday
        uint256 monthDay;
        uint256 quarterDay;
        uint256 yearDay;
        uint256 daysInMonth;
    }

    /// `dayNumber` counts days since 1970-01-01, in UTC.
    function calendarDay(uint256 dayNumber) internal pure returns (CalendarDay memory day) {
        day.weekDay = ((dayNumber + 3) % 7) + 1; // day 0 was a Thursday

        uint256 year = 1970 + 400 * (dayNumber / DAYS_IN_400_YEARS);
        uint256 rest = dayNumber % DAYS_IN_400_YEARS;
        // A year has at least 365 days, so the estimate can only be too high, by at most one.
        uint256 estimate = rest / 365;
        if (_daysBeforeYear(year, estimate) > rest) estimate--;
        rest -= _daysBeforeYear(year, estimate);
        year += estimate;

        day.yearDay = rest + 1;
        day.quarterDay = day.yearDay;
        for (uint256 month = 1; ; month++) {
            day.daysInMonth = _daysInMonth(year, month);
            if (rest < day.daysInMonth) break;
            rest -= day.daysInMonth;
            if (month % 3 == 0) day.quarterDay = rest + 1;
        }
        day.monthDay = rest + 1;
    }

    function numberIn(CalendarDay memory day, Frequency frequency) internal pure returns (uint16) {
        if (frequency == Frequency.WEEKLY) return uint16(day.weekDay);
        if (frequency == Frequency.MONTHLY) return uint16(day.monthDay);
        if (frequency == Frequency.QUARTERLY) return uint16(day.quarterDay);
        return uint16(day.yearDay);
    }

    /// Prorated amount for the days from `dayNumber` to the next due day. Each division rounds down.
    function prorate(uint256 dayNumber, uint256 amount, Frequency frequency, uint16 dueDay)
        internal
        pure
        returns (uint256)
    {
        CalendarDay memory day = calendarDay(dayNumber);
        uint256 today = numberIn(day, frequency);
        if (today == dueDay) return amount;

        uint256 length;
        uint256 daily;
        if (frequency == Frequency.MONTHLY) {
            length = day.daysInMonth;
            daily = (amount * 12) / 365;
        } else {
            length = frequency == Frequency.WEEKLY ? 7 : frequency == Frequency.QUARTERLY ? 90 : 365;
            if (today > length) length = today;
            daily = amount / length;
        }
        return today > dueDay ? daily * (length - (today - dueDay)) : daily * (dueDay - today);
    }

    /// Days of the first `count` years from `base`, the first year of a 400-year cycle counted from 1970.
    function _daysBeforeYear(uint256 base, uint256 count) private pure returns (uint256) {
        return count * 365 + _leapYearsBefore(base + count) - _leapYearsBefore(base);
    }

    function _leapYearsBefore(uint256 year) private pure returns (uint256) {
        uint256 last = year - 1;
        return last / 4 - last / 100 + last / 400;
    }

    function _daysInMonth(uint256 year, uint256 month) private pure returns (uint256) {
        if (month == 2) return _leapYearsBefore(year + 1) > _leapYearsBefore(year) ? 29 : 28;
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }
}
