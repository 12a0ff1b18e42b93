const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const time = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})'
const month = `(?<month>${months.join('|')})`

// RFC 9110, 5.6.7: a recipient accepts all three.
const dateForms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
]

/** A two-digit year that seems more than 50 years ahead is of the past century (RFC 9110, 5.6.7). */
function fullYear(text: string, now: number): number {
  if (text.length === 4) return Number(text)
  const thisYear = new Date(now).getUTCFullYear()
  const year = Math.floor(thisYear / 100) * 100 + Number(text)
  return year > thisYear + 50 ? year - 100 : year
}

function httpDate(text: string, now: number): number | null {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups
    if (!parts) continue
    const { year = '', month = '', day, hour, minute, second } = parts
    return Date.UTC(
      fullYear(year, now),
      months.indexOf(month),
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    )
  }
  return null
}

/** Ms from now that a Retry-After header asks for (RFC 9110, 10.2.3), at least 0; null for anything else. */
export function parseRetryAfter(value: string, now: number): number | null {
  const text = value.trim()
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000
  const date = httpDate(text, now)
  return date === null ? null : Math.max(0, date - now)
}
