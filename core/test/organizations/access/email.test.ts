import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { emailAddress } from '../../../organizations/access/email.ts'

/** Characters that change how an address is compared and not how it looks. */
const unseen = fc.constantFrom(
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e'],
  ...['\u202e', '\u2060', '\u2064', '\u2066', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\u{e0061}'],
  // Forms of other widths: a full-width a, a ligature, a full-width at sign.
  ...['\uff41', '\ufb01', '\uff20'],
)

test('an address that looks like another is refused, wherever what tells them apart stands', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('ada@acme.example', 'zoë@bücher.example'),
      unseen,
      fc.nat(),
      (address, odd, n) => {
        // At the ends some are white space, which is trimmed.
        const at = 1 + (n % (address.length - 1))
        const [fault] = emailAddress.faults(
          `${address.slice(0, at)}${odd}${address.slice(at)}`,
          '/email',
        )
        assert.equal(fault?.pointer, '/email')
      },
    ),
  )
})

test('addresses in other scripts, composed or not, are taken', () => {
  const plain = [
    'ada@acme.example',
    'zoë@bücher.example',
    'zoe\u0308@acme.example',
    '用户@例子.example',
  ]
  for (const address of plain) assert.deepEqual(emailAddress.faults(address, '/email'), [], address)
})
