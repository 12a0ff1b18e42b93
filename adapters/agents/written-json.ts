/** The JSON of a text; the text itself where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Arguments that others read: as text, unless every reader finds in it the value that is read here. Readers differ
 * about a name that comes twice, and about numbers that are none of a double's.
 */
export function asWritten(text: string): unknown {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return text
  }
  // Escapes first: an alternation that repeats overflows the stack in long texts.
  const bare = text.replaceAll(/\\./g, '').replaceAll(/"[^"]*"/g, '""')
  const written = bare.split(':').length - 1
  const numbers = bare.match(/-?\d[\d.eE+-]*/g) ?? []
  const isOne = [...namesIn(read)].length === written && numbers.every(isExact)
  return isOne ? read : text
}

/** Names of all members in a value of JSON, however deep. */
export function* namesIn(value: unknown): Generator<string> {
  const left = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each !== 'object' || each === null) continue
    for (const [name, member] of Object.entries(each)) {
      if (!Array.isArray(each)) yield name
      left.push(member)
    }
  }
}

/** Digits and signs of more than any double needs. */
const longestNumber = 64

/** Whether a number is written as exactly what is read of it, in whatever notation. */
function isExact(text: string): boolean {
  return text.length <= longestNumber && decimalOf(text) === decimalOf(JSON.stringify(Number(text)))
}

/** A number's digits and power of ten, the same in each notation. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  const exponent = kept && Number(power) - fraction.length + digits.length - kept.length
  return `${sign}${kept}e${exponent}`
}
