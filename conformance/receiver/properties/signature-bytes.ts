import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { bytesOf } from '../messages.ts'
import { type Property, property } from '../property.ts'

/** What a receiver may do to a body before it verifies: the text that is signed, and other bytes that become it. */
const changes = {
  'a byte F8 where a U+FFFD was signed': (text: string) => replaced(text, '\uFFFD', 0xf8),
  'a byte FF where a U+FFFD was signed': (text: string) => replaced(text, '\uFFFD', 0xff),
  'a byte order mark in front': (text: string) =>
    Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytesOf(text)]),
  'white space in front': (text: string) => bytesOf(`  ${text}`),
  'white space at the end': (text: string) => bytesOf(`${text}  `),
  'a line feed at the end': (text: string) => bytesOf(`${text}\n`),
  'CR LF at the end': (text: string) => bytesOf(`${text}\r\n`),
  'a NUL at the end': (text: string) => bytesOf(`${text}\0`),
  'white space between the members': (text: string) =>
    bytesOf(JSON.stringify(JSON.parse(text), null, 1)),
  'an escape for a letter': (text: string) => bytesOf(text.replace('é', '\\u00e9')),
  'a letter and its accent for one character': (text: string) =>
    bytesOf(text.replace('é', 'e\u0301')),
  'a number as 1.0': (text: string) =>
    bytesOf(text.replace('"schemaVersion":1', '"schemaVersion":1.0')),
  'a member twice': (text: string) => bytesOf(text.replace('{', '{"note":"x",')),
  'members in another order': (text: string) =>
    bytesOf(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))),
} as const
type Change = keyof typeof changes

function replaced(text: string, character: string, byte: number): Uint8Array {
  const bytes = Buffer.from(text)
  const sought = Buffer.from(character)
  const at = bytes.indexOf(sought)
  return Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + sought.length)])
}

export const rawBytes: Property = property({
  name: 'signature.raw-bytes',
  everyFamily: 'each case',
  level: 'hardening',
  promise: 'the signature is checked over the bytes that came, not over a text made of them',
  advice:
    'Take the body as bytes and feed those to the MAC. Express: `express.raw({ type: "*/*" })`. Python’s http.server: `self.rfile.read(int(self.headers["content-length"]))`, without decode, strip or json.loads before the check. A verifier that wants text, as `standardwebhooks` does, decodes it itself: there, refuse a body that is no UTF-8 before you call it (`new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)`), or run with `--except signature.raw-bytes=REASON`.',
  each: Object.keys(changes).map((change) => ({ change: change as Change, key: 0 })),
  async play(session, { change, key }) {
    const genuine = session.sign(session.event({ note: 'é \uFFFD' }), { key })
    const message = { ...genuine, label: `${genuine.label} with é and U+FFFD` }
    const text = Buffer.from(genuine.body).toString('utf8')
    await session.refuse(
      {
        ...message,
        body: changes[change](text),
        label: `${message.label}, ${change}, under the same signature`,
      },
      { known: true },
    )
    await session.accept(message)
  },
})

export const exactBytes: Property = property({
  name: 'signature.exact-bytes',
  everyFamily: 'each case',
  promise: 'white space, the order of members and the spelling of a body do not matter to it',
  advice:
    'Verify the bytes as they came. A body that is parsed and serialized again is another body: JSON.stringify drops white space, escapes and `1.0`.',
  each: [
    { indent: 2, reverse: false, escaped: false, ending: '', number: '1', key: 0 },
    { indent: 0, reverse: true, escaped: false, ending: '', number: '1', key: 0 },
    { indent: 0, reverse: false, escaped: true, ending: '', number: '1', key: 0 },
    { indent: 0, reverse: false, escaped: false, ending: '\n', number: '1', key: 0 },
    { indent: 0, reverse: false, escaped: false, ending: '\r\n', number: '1', key: 0 },
    { indent: 0, reverse: false, escaped: false, ending: '  ', number: '1', key: 0 },
    { indent: 0, reverse: false, escaped: false, ending: '', number: '1.0', key: 0 },
    { indent: 0, reverse: false, escaped: false, ending: '', number: '10e-1', key: 0 },
  ],
  histories: fc.record({
    indent: fc.integer({ min: 0, max: 4 }),
    reverse: fc.boolean(),
    escaped: fc.boolean(),
    ending: fc.constantFrom('', '\n', '\r\n', '  '),
    number: fc.constantFrom('1', '1.0', '1e0', '10e-1'),
    key: anyKey,
  }),
  async play(session, { indent, reverse, escaped, ending, number, key }) {
    const spell = (given: string) => {
      const members = Object.entries(JSON.parse(given))
      const ordered = reverse ? members.reverse() : members
      let text = JSON.stringify(Object.fromEntries(ordered), null, indent)
      text = text.replace(/"schemaVersion":( ?)1/, `"schemaVersion":$1${number}`)
      if (escaped) text = text.replace('standard', '\\u0073tandard')
      return text + ending
    }
    const message = session.sign(session.event({ note: 'standard' }), { key, spell })
    const how = JSON.stringify({ indent, reverse, escaped, ending, number })
    await session.accept({ ...message, label: `${message.label} spelled with ${how}` })
  },
})
