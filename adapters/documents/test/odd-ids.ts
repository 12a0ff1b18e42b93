import fc from 'fast-check'

const devices = ['con', 'prn', 'aux', 'nul', 'com', 'lpt', 'conin$', 'conout$', 'clock$']
const digits = ['', '0', '1', '9', '10', '¹', '²', '³', '１', '٣']
const endings = [
  '',
  '.',
  '..',
  ' ',
  '. ',
  '.x',
  '.1',
  '.tar.gz',
  '.example',
  ':stream',
  '\u0000',
  ' .x',
]
const odd = [
  ...['.', '..', '...', '../..', '/', '\\', '//host/share', 'C:', 'C:\\x', '~', '-rf', '$(x)'],
  ...['\u0000', '\u0001\u001f', '\u007f', '\u202egpj', '\ufeffa', '\u200b', '\ud800', '\udfff'],
  ...['é', 'e\u0301', 'Å', 'Å', 'ﬁ', 'ß', 'ẞ', 'İ', 'ı', 'K', 'k', 'a/b', 'a\\b', 'a:b', 'a"b'],
  ...["a'b", 'a\r\nb', 'a;b', 'a%2fb', '%2e%2e', 'README.txt', 'manifest.json', 'Thumbs.db'],
  ...['a', 'A', 'aA', 'Aa', '.hidden', 'desktop.ini', 'x'.repeat(80), 'x'.repeat(500), '__proto__'],
  // Their digests begin alike and so do their names.
  ...[`${'x'.repeat(80)}55038`, `${'x'.repeat(80)}95062`],
]

const cased = (name: string) => [
  name,
  name.toUpperCase(),
  `${name[0]?.toUpperCase()}${name.slice(1)}`,
]

/** Ids that one system or another reads otherwise than as a name: devices, steps up, controls, twins, long ones. */
export const oddIds: readonly string[] = [
  ...new Set([
    ...odd,
    ...devices.flatMap((device) =>
      digits.flatMap((digit) => endings.flatMap((ending) => cased(`${device}${digit}${ending}`))),
    ),
  ]),
]

/** Two that one system may take for one, such as `a` and `A`, are drawn too. */
export const oddId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...oddIds),
  fc
    .tuple(fc.constantFrom(...oddIds), fc.string({ unit: 'binary', maxLength: 20 }))
    .map(([one, more]) => `${one}${more}`),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
)
