import {
  isAlphanumeric,
  isAsciiLetter,
  isDigit,
  isGroupSeparator,
  type Scan,
  type Text,
  unitAt,
} from './scan.ts'

/** Lengths by country of the IBAN registry (SWIFT, ISO 13616-2); an unlisted country may have any. */
const lengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 ' +
    'LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 ' +
    'QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
)
const dot = 0x2e
const shortest = 15
const longest = 34

/**
 * IBANs: a country, two check digits (ISO 7064, mod 97-10) and the account number, of the country's length, in either
 * case, perhaps in groups with single spaces, hyphens or dots.
 */
export const scanIbans: Scan = (text, spans, begin, until) => {
  let from = begin
  for (; from < until; from++) {
    if (!isAsciiLetter(text.charCodeAt(from)) || isAlphanumeric(unitAt(text, from - 1))) continue
    const to = ibanEnd(text, from)
    if (to === null) continue
    spans.push({ from, to })
    from = to - 1
  }
  return from
}

/** The end of the longest IBAN that begins here. */
function ibanEnd(text: Text, from: number): number | null {
  const units: number[] = []
  let rest = 0
  let end: number | null = null
  for (let at = from; units.length < longest; at++) {
    const unit = unitAt(text, at)
    if (!isAlphanumeric(unit)) {
      const isSeparator = unit === dot || isGroupSeparator(unit)
      const grouped = isSeparator && units.length >= 4 && isAlphanumeric(unitAt(text, at + 1))
      if (!grouped) return end
      continue
    }
    if (!fits(units.length, unit)) return end
    units.push(unit)
    if (units.length > 4) rest = append(rest, unit)
    if (!isAlphanumeric(unitAt(text, at + 1)) && holds(units, rest)) end = at + 1
  }
  return end
}

/** Two letters, then two digits, then either. */
function fits(place: number, unit: number): boolean {
  if (place < 2) return isAsciiLetter(unit)
  return place < 4 ? isDigit(unit) : true
}

/** `rest` is the remainder of the account number; country and check digits follow it in the check. */
function holds(units: readonly number[], rest: number): boolean {
  const country = String.fromCharCode(...units.slice(0, 2)).toUpperCase()
  const expected = lengths.get(country)
  const fitting = expected === undefined ? units.length >= shortest : units.length === expected
  return fitting && units.slice(0, 4).reduce(append, rest) === 1
}

/** The remainder by 97 after one more character; a letter counts as two digits, A as 10. */
function append(rest: number, unit: number): number {
  return isDigit(unit) ? (rest * 10 + unit - 0x30) % 97 : (rest * 100 + (unit | 0x20) - 0x57) % 97
}
