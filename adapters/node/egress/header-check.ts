const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// CR, LF and NUL would end the header and begin another (RFC 9110 5.5); what is not Latin-1 has no byte.
const value = /^[\t\x20-\x7e\x80-\xff]*$/

/** Name of the first header that cannot be sent, or null; never its value. */
export function unsendable(headers: Readonly<Record<string, string>>): string | null {
  for (const name in headers) {
    if (!token.test(name)) return `the header name ${JSON.stringify(name)} is no token`
    if (!value.test(headers[name] as string))
      return `the value of the header ${name} holds a character that no header can`
  }
  return null
}
