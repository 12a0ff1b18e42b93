import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { detectors } from '../../policies/redaction/policy.ts'
import { findAll, type Span, type Text } from '../../policies/redaction/scan.ts'

type Name = keyof typeof detectors
type Find = (text: Text) => readonly Span[]

function found(name: Name, text: string): readonly string[] {
  return findAll(detectors[name].scan, text).map(({ from, to }) => text.slice(from, to))
}

/** Text that holds nothing to find; it ends and begins so that nothing grows together with it. */
const prose = fc
  .array(fc.constantFrom('pay', 'the', 'Ärger', 'item 12,', '请', '(ok)', '"x"', ';', '😀'), {
    maxLength: 6,
  })
  .map((words) => words.join(' , '))

const digits = (length: number) =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((list) => list.join(''))

/** ISO/IEC 7812-1 by table: the check digit that makes the sum a multiple of 10. */
const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
function withLuhn(body: string): string {
  const sum = [...body]
    .reverse()
    .reduce((all, digit, at) => all + (at % 2 === 0 ? (doubled[+digit] ?? 0) : +digit), 0)
  return body + String((10 - (sum % 10)) % 10)
}

const card = fc
  .tuple(fc.constantFrom(['4', 12], ['4', 15], ['37', 14], ['51', 15], ['62', 18]), digits(18))
  .map(([[prefix, length], rest]) => withLuhn(`${prefix}${rest}`.slice(0, Number(length))))
const grouped = fc
  .tuple(card, fc.constantFrom('', ' ', '-', '\u00a0', '\u202f', '\u2011', '\u00ad', '.', '/', '_'))
  .map(([number, sign]) => number.replace(/(\d{4})(?=\d)/g, `$1${sign}`))

/** ISO 7064 mod 97-10 with whole numbers. */
function withCheckDigits(country: string, account: string): string {
  const number = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join('')
  return `${country}${String(98n - (BigInt(number) % 97n)).padStart(2, '0')}${account}`
}
const ibanOf = (characters: string) =>
  fc
    .tuple(
      fc.constantFrom(['DE', 18], ['NO', 11], ['MT', 27], ['ZZ', 20]),
      fc.array(fc.constantFrom(...characters), { minLength: 27, maxLength: 27 }),
      fc.constantFrom('', ' ', '\u00a0', '-', '.'),
      fc.boolean(),
    )
    .map(([[country, length], account, sign, lower]) => {
      const whole = withCheckDigits(String(country), account.join('').slice(0, Number(length)))
      const written = whole.replace(/(.{4})(?=.)/g, `$1${sign}`)
      return lower ? written.toLowerCase() : written
    })
const iban = ibanOf('0123456789ABCXYZ')

const label = fc.constantFrom('a', 'mail-1', 'bücher', 'X9')
const email = fc
  .tuple(
    fc.constantFrom('a', 'first.last', 'o+tag', 'jürgen', "o'neil", 'under_score', '名前'),
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('org', 'co', 'рф'),
  )
  .map(([local, labels, top]) => `${local}@${[...labels, top].join('.')}`)

const phone = fc.constantFrom(
  '+49 30 1234567',
  '+14155550123',
  '0049-30-1234567',
  '(415) 555-0123',
  '415-555-0123',
  '030/12345678',
  '+44 (0)20 7946 0018',
  '06 12 34 56 78',
)

const ip = fc.oneof(
  fc.ipV4(),
  fc.ipV6().filter((address) => /[0-9a-f]/i.test(address)),
)

const instances: Readonly<Record<Name, fc.Arbitrary<string>>> = {
  email,
  phone,
  iban,
  payment_card: grouped,
  ip_address: ip,
}
const names = Object.keys(instances) as Name[]

function findsEach(name: Name, find: Find): void {
  fc.assert(
    fc.property(prose, instances[name], prose, (before, instance, after) => {
      const text = `${before} ${instance}, ${after}`
      const spans = find(text)
      assert.deepEqual(
        spans.map(({ from, to }) => text.slice(from, to)),
        [instance],
      )
    }),
    { numRuns: 300 },
  )
}

describe('detectors', () => {
  for (const name of names) {
    it(`find exactly each ${name} in other text`, () =>
      findsEach(name, (text) => findAll(detectors[name].scan, text)))

    it(`are told from ones that cut, skip or swallow an ${name}`, () => {
      const find: Find = (text) => findAll(detectors[name].scan, text)
      const mutants: Readonly<Record<string, Find>> = {
        'cuts the end': (text) => find(text).map(({ from, to }) => ({ from, to: to - 1 })),
        'swallows what follows': (text) => find(text).map(({ from, to }) => ({ from, to: to + 1 })),
        'finds nothing': () => [],
      }
      for (const [change, mutant] of Object.entries(mutants))
        assert.throws(() => findsEach(name, mutant), change)
    })
  }

  it('find no card and no IBAN with a wrong check digit', () => {
    // An account with letters may have a right IBAN within it: an unlisted country, and two digits by chance.
    const plain = ibanOf('0123456789')
    fc.assert(
      fc.property(card, plain, fc.integer({ min: 1, max: 9 }), (number, account, more) => {
        const turned = number.slice(0, -1) + String((Number(number.at(-1)) + more) % 10)
        assert.deepEqual(found('payment_card', turned), [])
        // Of an unlisted country, a shorter number may be valid by chance.
        if (/^zz/i.test(account)) return
        const check = String((Number(account[3]) + more) % 10)
        assert.deepEqual(found('iban', `${account.slice(0, 3)}${check}${account.slice(4)}`), [])
      }),
    )
  })

  it('find several, and each of two cards side by side', () => {
    assert.deepEqual(found('payment_card', '4111111111111111 5500005555555559'), [
      '4111111111111111',
      '5500005555555559',
    ])
    assert.deepEqual(found('email', 'a@b.co,c@d.org;e@f'), ['a@b.co', 'c@d.org'])
    assert.deepEqual(found('ip_address', 'ip:10.0.0.1 [fe80::1]:443 10.0.0.2:80 at 1.2.3.4.'), [
      '10.0.0.1',
      'fe80::1',
      '10.0.0.2',
      '1.2.3.4',
    ])
  })

  it('leave what only looks alike', () => {
    const alike: Readonly<Record<Name, readonly string[]>> = {
      email: ['a@b', '@b.co', 'a@.co', 'a@1.2.3.4', 'price @ 3.50'],
      phone: ['2026-11-21 10', '192.168.100.200', '1234', 'id 0123456789ab', '123456789012'],
      iban: ['DE89', 'DE89 3704 0044 0532 0130 0', 'xDE89370400440532013000'],
      payment_card: ['1763779644123', '41111111111111111111', '4111 1111 1111'],
      ip_address: ['1.2.3', '1.2.3.256', '12:30:45', 'std::string', '::', 'version 1.2.3.4.5'],
    }
    for (const name of names)
      for (const text of alike[name]) assert.deepEqual(found(name, text), [], `${name}: ${text}`)
  })

  it('find an e-mail address where its pattern does', () => {
    const pattern = /[a1.]*[a1][a1.]*@[a1]+(?:\.[a1]+)*\.1*a/
    const unit = fc.constantFrom('a', '@', '.', '1')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 9 }), (text) => {
        assert.equal(found('email', text).length > 0, pattern.test(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('find the same in a text that is scanned in pieces', () => {
    const inPieces = (name: Name, text: string, length: number, overlap = true) => {
      const spans: Span[] = []
      const { scan } = detectors[name]
      for (let at = 0; at < text.length; ) {
        const until = Math.min(at + length, text.length)
        const seen = overlap ? text : text.slice(0, until)
        at = Math.max(scan(seen, spans, at, until), until)
      }
      return spans
    }
    const near = fc.string({ unit: fc.constantFrom(...'a@.1:+-( ;F04'), maxLength: 20 })
    const long = fc.constantFrom('a:', '1.2.3.4:', '::', ':').map((unit) => unit.repeat(20))
    const agrees = (name: Name, overlap?: boolean) =>
      fc.assert(
        fc.property(
          fc.array(fc.oneof(instances[name], near, long, prose), { maxLength: 5 }),
          fc.integer({ min: 1, max: 40 }),
          (parts, length) => {
            const text = parts.join('')
            assert.deepEqual(
              inPieces(name, text, length, overlap),
              findAll(detectors[name].scan, text),
            )
          },
        ),
        { numRuns: 1_000 },
      )
    for (const name of names) {
      agrees(name)
      assert.throws(() => agrees(name, false), `${name} over a border`)
    }
  })

  it('read hostile text in linear time', () => {
    const hostile = [
      'a@',
      '@',
      'a.',
      'a@a.',
      '1 ',
      '1',
      '0 ',
      '(0',
      '+1 ',
      '4111 ',
      'DE89 ',
      'DE8937040044053201300 ',
      'a:',
      '::',
      '1.',
      'f:1.2.3.4:',
    ]
    const cost = (name: Name, unit: string, length: number) => {
      const text = unit.repeat(length / unit.length)
      let looks = 0
      findAll(detectors[name].scan, {
        length: text.length,
        charCodeAt: (at) => {
          looks++
          return text.charCodeAt(at)
        },
      })
      return looks
    }
    for (const name of names)
      for (const unit of hostile) {
        const [once, twice] = [cost(name, unit, 4_000), cost(name, unit, 8_000)]
        assert.ok(twice <= 2.1 * once + 2_000, `${name} of ${unit}: ${once}, then ${twice}`)
        assert.ok(twice <= 400 * 8_000, `${name} of ${unit}: ${twice}`)
      }
  })
})
