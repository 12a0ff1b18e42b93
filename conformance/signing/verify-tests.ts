import {
  decodeBase64,
  encodeBase64,
  keyPairOf,
  loadSigningKey,
  loadVerifyKey,
  type SignInput,
  sign,
  signedHeaders,
  type VerifyInput,
  type VerifyKey,
  verify,
} from '@countersign/core/signing'
import fc from 'fast-check'
import { expect, expectEqual } from '../assert.ts'
import { type Group, thrown } from './group.ts'
import { body, codeOf, type Fields, headersOf, id, now, timestamp } from './message.ts'
import { standardWebhooks } from './vectors.ts'

const utf8 = new TextEncoder()

/** What counts as a signed message, and what does not. */
export const verifyTests: Group = (it, { primitives, runs }) => {
  const secret = loadVerifyKey(standardWebhooks.secret, primitives)
  const publicKey = loadVerifyKey(standardWebhooks.publicKey, primitives)
  const otherSecret = loadVerifyKey(`whsec_${'A'.repeat(32)}`, primitives)
  const otherKey = loadVerifyKey(keyPairOf(new Uint8Array(32), primitives).publicKey, primitives)
  const signingSecret = loadSigningKey(standardWebhooks.secret, primitives)
  const privateKey = loadSigningKey(standardWebhooks.privateKey, primitives)
  const { mac, signature } = standardWebhooks
  const flavours = [
    ['v1', mac, secret, otherSecret],
    ['v1a', signature, publicKey, otherKey],
  ] as const

  it('the known answers of Standard Webhooks, byte for byte', () => {
    const message = { id, timestamp, body }
    expectEqual(sign({ ...message, keys: [signingSecret] }), mac, 'v1')
    expectEqual(sign({ ...message, keys: [privateKey] }), signature, 'v1a')
    expectEqual(
      signedHeaders({ ...message, keys: [privateKey, signingSecret] }),
      {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `${signature} ${mac}`,
      },
      'both',
    )
  })

  for (const [scheme, entry, key, other] of flavours) {
    it(`${scheme}: one valid signature is enough, wherever it and its key stand`, () => {
      const told = (signatures: string, keys: readonly VerifyKey[]) =>
        verify({ headers: headersOf({ signatures }), body, keys, now })
      const fits = { ok: true, id, timestamp }
      expectEqual(told(entry, [key]), { ...fits, keyIndex: 0 }, 'alone')
      expectEqual(told(`${mac} ${signature}`, [other, key]), { ...fits, keyIndex: 1 }, 'second key')
      const unknown = 'v2,AAAA v1, v1a, v1b,?'
      expectEqual(told(`${unknown} ${entry}`, [key]), { ...fits, keyIndex: 0 }, 'after others')
      expectEqual(told(`${entry} ${unknown}`, [key]), { ...fits, keyIndex: 0 }, 'before others')
      expectEqual(code({ signatures: entry }, [other]), 'no_matching_signature', 'another key')
    })

    it(`${scheme}: no byte of the body can change, be lost or be added`, () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ minLength: 1, maxLength: 200 }),
          fc.nat(),
          fc.integer({ min: 1, max: 255 }),
          fc.constantFrom('changed', 'lost', 'added'),
          (given, where, by, what) => {
            const signing = scheme === 'v1' ? signingSecret : privateKey
            const headers = signedHeaders({ id, timestamp, body: given, keys: [signing] })
            const at = where % given.length
            const edited = [...given]
            if (what === 'changed') edited[at] = (edited[at] ?? 0) ^ by
            else edited.splice(at, what === 'lost' ? 1 : 0, ...(what === 'added' ? [by] : []))
            const told = (bytes: Uint8Array) =>
              verify({ headers, body: bytes, keys: [key], now }).ok
            expect(told(given), 'not verified')
            expect(!told(Uint8Array.from(edited)), `verified with a byte ${what}`)
          },
        ),
        { numRuns: runs },
      )
    })

    it(`${scheme}: no character of the three headers can change`, () => {
      const change = fc.tuple(
        fc.constantFrom('id' as const, 'timestamp' as const, 'signatures' as const),
        fc.nat(),
        fc.integer({ min: 0x20, max: 0x7e }).map((point) => String.fromCharCode(point)),
      )
      fc.assert(
        fc.property(change, ([field, where, character]) => {
          const fields = { id, timestamp: String(timestamp), signatures: entry }
          const text = fields[field]
          const at = where % text.length
          fc.pre(text[at] !== character)
          const changed = text.slice(0, at) + character + text.slice(at + 1)
          expect(code({ ...fields, [field]: changed }, [key]) !== 'ok', `verified ${changed}`)
        }),
        { numRuns: runs * 4 },
      )
    })

    it(`${scheme}: the same signature in another encoding is refused`, () => {
      const text = entry.slice(entry.indexOf(',') + 1)
      const bytes = decodeBase64(text) ?? new Uint8Array()
      const last = text.search(/=*$/) - 1
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
      const loose = alphabet.charAt(alphabet.indexOf(text.charAt(last)) + 1)
      const others = [
        text.slice(0, last) + loose + text.slice(last + 1),
        text.replace(/=+$/, ''),
        `${text}=`,
        text.replaceAll('+', '-').replaceAll('/', '_'),
        encodeBase64(bytes.subarray(0, -1)),
        encodeBase64(Uint8Array.of(...bytes, 0)),
        encodeBase64(bytes.subarray(0, 16)),
        '',
      ]
      for (const value of others)
        expectEqual(
          code({ signatures: `${scheme},${value}` }, [key]),
          'no_matching_signature',
          value,
        )
    })
  }

  it('a value under the scheme of the other kind matches nothing', () => {
    const swapped = { signatures: `v1a,${mac.slice(3)} v1,${signature.slice(4)}` }
    expectEqual(code(swapped, [secret, publicKey]), 'no_matching_signature', 'swapped')
  })

  it('five minutes to either side, to the second', () => {
    const at = (ms: number) => code({}, [secret], { now: now + ms })
    expectEqual(at(300_999), 'ok', '300 s old, almost 301')
    expectEqual(at(301_000), 'timestamp_too_old', '301 s old')
    expectEqual(at(-300_000), 'ok', '300 s ahead')
    expectEqual(at(-300_001), 'timestamp_too_new', 'in whole seconds 301 s ahead')
    expectEqual(at(360_000), 'timestamp_too_old', 'a capture, replayed after six minutes')
    expectEqual(
      code({}, [secret], { now: now + 1000, toleranceSeconds: 0 }),
      'timestamp_too_old',
      'none',
    )
  })

  it('a timestamp is digits alone, as a sender writes them', () => {
    const texts = [
      '',
      '0',
      '-1',
      `+${timestamp}`,
      ` ${timestamp}`,
      `${timestamp} `,
      `0${timestamp}`,
      `${timestamp}abc`,
      `${timestamp}.0`,
      `${timestamp}.9`,
      '1e9',
      '0x10',
      '１６１４２６５３３０',
      '1234567890123',
      String(2 ** 53),
      `${timestamp}, ${timestamp}`,
      `${timestamp}\n`,
      'NaN',
      'Infinity',
    ]
    for (const text of texts)
      expectEqual(code({ timestamp: text }, [secret]), 'malformed_timestamp', JSON.stringify(text))
    fc.assert(
      fc.property(fc.string({ maxLength: 14 }), (text) => {
        if (String(Number(text)) !== text || !Number.isInteger(Number(text)) || Number(text) <= 0)
          expectEqual(
            code({ timestamp: text }, [secret]),
            'malformed_timestamp',
            JSON.stringify(text),
          )
      }),
      { numRuns: runs },
    )
  })

  it('an id is visible ASCII without a full stop or a comma', () => {
    const texts = [
      '',
      ' ',
      'a b',
      'a.b',
      'a,b',
      `${id}, ${id}`,
      'é',
      'a\n',
      'a\u0000',
      'a\u007f',
      'x'.repeat(257),
    ]
    for (const text of texts) {
      expectEqual(code({ id: text }, [secret]), 'malformed_id', JSON.stringify(text))
      const input: SignInput = { id: text, timestamp, body, keys: [signingSecret] }
      thrown(TypeError, () => sign(input), `signing ${JSON.stringify(text)}`)
    }
    // With a full stop in an id the same bytes would be two messages.
    const split = { id: 'msg', timestamp: String(timestamp), signatures: mac }
    const shifted = Uint8Array.of(...utf8.encode('1.'), ...body)
    expect(
      code({ ...split, id: `msg.${timestamp}` }, [secret], { body: shifted }) !== 'ok',
      'split',
    )
  })

  it('a text that is no list of signatures is refused whole', () => {
    const texts = [
      '',
      ' ',
      ',',
      'v1',
      mac.slice(3),
      ` ${mac}`,
      `${mac} `,
      `${mac}  ${mac}`,
      `${mac},${mac}`,
      `${mac}, ${mac}`,
      `${mac}\t${mac}`,
      `${mac}\n`,
      `v1 ${mac}`,
      `,x ${mac}`,
      `é,x ${mac}`,
      `v-1,x ${mac}`,
      `${'v'.repeat(17)},x ${mac}`,
      `v1,${'A'.repeat(65_536)} ${mac}`,
    ]
    for (const text of texts)
      expectEqual(
        code({ signatures: text }, [secret]),
        'malformed_signature_list',
        JSON.stringify(text.slice(0, 80)),
      )
  })

  it('sixteen signatures are a list, seventeen are not', () => {
    const decoys = (count: number) => Array.from({ length: count }, () => 'v1,AAAA').join(' ')
    expectEqual(code({ signatures: `${decoys(15)} ${mac}` }, [secret]), 'ok', 'sixteen')
    expectEqual(code({ signatures: `${decoys(16)} ${mac}` }, [secret]), 'too_many_signatures', '17')
    thrown(
      RangeError,
      () => sign({ id, timestamp, body, keys: Array.from({ length: 17 }, () => signingSecret) }),
      'signing with 17 keys',
    )
  })

  it('no header that a stranger can send is an exception', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('v', '1', 'a', ',', ' ', '=', 'A', '.') }),
      fc.constantFrom(id, String(timestamp), mac, signature),
    )
    fc.assert(
      fc.property(text, text, text, (anId, aTimestamp, signatures) => {
        code({ id: anId, timestamp: aTimestamp, signatures }, [secret, publicKey])
      }),
      { numRuns: runs * 4 },
    )
  })

  function code(
    fields: Partial<Fields>,
    keys: readonly VerifyKey[],
    more: Partial<VerifyInput> = {},
  ): string {
    return codeOf({ headers: headersOf(fields), body, keys, now, ...more })
  }
}
