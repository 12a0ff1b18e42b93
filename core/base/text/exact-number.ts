/** Longer than any double is written, unless it is padded with zeros. */
const longestNumber = 64

/**
 * Whether a number of a JSON text means to its reader what it meant to its writer: it is finite, a whole number lies
 * within 2^53 - 1, and a fraction is the decimal that some double is written as, in its shortest form or in 17 digits
 * (RFC 7493 2.2). What is no number is left to the parser.
 */
export function isExactNumber(token: string): boolean {
  if (token.length <= 15 && !/e/i.test(token)) return true
  if (token.length > longestNumber) return false
  const value = Number(token)
  if (Number.isNaN(value)) return true
  if (!Number.isFinite(value)) return false
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false
  // What most writers write.
  if (String(value) === token) return true
  const written = decimalOf(token)
  return [String(value), value.toPrecision(17)].some((text) => decimalOf(text) === written)
}

/**
 * Whether a number of a JSON text is the decimal that a double is written as (RFC 8785 3.2.2.3), however large it is: what
 * such a text means is what it says.
 */
export function isWrittenDouble(token: string): boolean {
  if (token.length > longestNumber) return false
  const value = Number(token)
  return Number.isFinite(value) && decimalOf(token) === decimalOf(String(value))
}

/** Significant digits and exponent: one text for all ways to write a decimal. */
function decimalOf(token: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(token) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const trailing = digits.length - significant.length
  return `${significant}e${Number(exponent) - fraction.length + trailing}`
}
