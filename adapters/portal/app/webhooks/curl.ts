/** Headers that curl makes itself. */
const own = new Set(['content-length', 'host', 'connection', 'accept-encoding'])

/** A request as a command for a POSIX shell, byte for byte; it ends nothing but itself, whatever the body holds. */
export function curlOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !own.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [`curl -sS -i -X POST ${quoted(url)}`, ...lines, `--data-raw ${quoted(body)}`].join(
    ' \\\n  ',
  )
}

/** As one word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
