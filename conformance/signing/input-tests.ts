import {
  type HeaderSource,
  loadSigningKey,
  loadVerifyKey,
  sign,
  type VerifyInput,
  type VerifyKey,
  verify,
} from '@countersign/core/signing'
import { expect, expectEqual } from '../assert.ts'
import { type Group, thrown } from './group.ts'
import { body, codeOf, headersOf, id, now, timestamp } from './message.ts'
import { standardWebhooks } from './vectors.ts'

/** How verify takes what a host gives it, and what it says when that was wrong. */
export const inputTests: Group = (it, { primitives }) => {
  const secret = loadVerifyKey(standardWebhooks.secret, primitives)
  const publicKey = loadVerifyKey(standardWebhooks.publicKey, primitives)
  const otherSecret = loadVerifyKey(`whsec_${'A'.repeat(32)}`, primitives)
  const signingSecret = loadSigningKey(standardWebhooks.secret, primitives)
  const { mac, signature } = standardWebhooks

  it('headers may come in any form that hosts have, their names in any case', () => {
    const given = headersOf({})
    const upper = Object.entries(given).map(([name, value]) => [name.toUpperCase(), value] as const)
    const forms: readonly HeaderSource[] = [
      given,
      Object.fromEntries(upper),
      Object.fromEntries(upper.map(([name, value]) => [name, [value]])),
      { ...given, 'Webhook-Ids': 'x', 'webhook-i': 'y', host: undefined },
      upper,
      upper.flat(),
      ['Host', 'a', ...upper.flat(), 'Accept', '*/*'],
      new Map(Object.entries(given)),
      (name) => valueIn(given, name),
      (name) => [valueIn(given, name) ?? ''],
    ]
    for (const [at, headers] of forms.entries())
      expectEqual(codeOf({ headers, body, keys: [secret], now }), 'ok', `form ${at}`)
  })

  it('a header that is missing or sent twice is refused', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
      const given = headersOf({})
      const { [name]: value, ...rest } = given
      const pairs = Object.entries(given)
      const told = (headers: HeaderSource) => codeOf({ headers, body, keys: [secret], now })
      expectEqual(told(rest), 'missing_header', name)
      expectEqual(told({ ...rest, [name]: [] }), 'missing_header', `${name}, an empty list`)
      expectEqual(
        told((one) => (one === name ? null : valueIn(given, one))),
        'missing_header',
        `${name}, null`,
      )
      expectEqual(told({ ...given, [name]: [value, value] }), 'duplicate_header', `${name}, a list`)
      expectEqual(
        told({ ...given, [name.toUpperCase()]: value }),
        'duplicate_header',
        `${name}, cases`,
      )
      expectEqual(told([...pairs, [name, value]]), 'duplicate_header', `${name}, pairs`)
      expectEqual(told([...pairs.flat(), name, value]), 'duplicate_header', `${name}, raw`)
      // Fetch Headers and node:http join what was sent twice.
      expect(told({ ...given, [name]: `${value}, ${value}` }) !== 'ok', `${name}, joined`)
    }
  })

  it('each header is read once', () => {
    const given = headersOf({})
    const reads = new Map<string, number>()
    const headers = (name: string) => {
      reads.set(name, (reads.get(name) ?? 0) + 1)
      return valueIn(given, name)
    }
    expectEqual(codeOf({ headers, body, keys: [secret], now }), 'ok', 'verdict')
    expectEqual([...reads.values()], [1, 1, 1], 'reads')
  })

  it('what the caller got wrong is thrown, and says what to do', () => {
    const input = { headers: headersOf({}), body, keys: [secret], now }
    const wrong = (change: object) => () => verify({ ...input, ...change } as VerifyInput)
    const hint = (change: object, says: RegExp) => {
      const { message } = thrown(TypeError, wrong(change), JSON.stringify(change))
      expect(says.test(message), `expected ${says}, got: ${message}`)
    }
    hint({ body: standardWebhooks.body }, /string.*before they are decoded/)
    hint({ body: JSON.parse(standardWebhooks.body) }, /object.*parsed/)
    hint({ body: body.buffer }, /new Uint8Array/)
    hint({ body: null }, /null/)
    hint({ body: undefined }, /undefined/)
    hint({ keys: [] }, /at least one key/)
    hint({ keys: undefined }, /at least one key/)
    hint({ headers: undefined }, /headers/)
    hint({ headers: { ...input.headers, 'webhook-timestamp': timestamp } }, /webhook-timestamp/)
    thrown(RangeError, wrong({ now: Number.NaN }), 'now')
    thrown(RangeError, wrong({ toleranceSeconds: -1 }), 'tolerance')
    thrown(RangeError, wrong({ toleranceSeconds: 0.5 }), 'tolerance')
    const signing = { id, timestamp, body, keys: [signingSecret] }
    thrown(RangeError, () => sign({ ...signing, timestamp: now }), 'a timestamp in ms')
    thrown(RangeError, () => sign({ ...signing, timestamp: 1.5 }), 'half a second')
    thrown(RangeError, () => sign({ ...signing, keys: [] }), 'no keys')
  })

  it('a refusal says which flavour of key would fit', () => {
    const detail = (signatures: string, key: VerifyKey) => {
      const told = verify({ headers: headersOf({ signatures }), body, keys: [key], now })
      return told.ok ? 'ok' : told.detail
    }
    expect(/whpk_/.test(detail(signature, secret)), 'a secret where the message has v1a')
    expect(/whsec_/.test(detail(mac, publicKey)), 'a public key where the message has v1')
    expect(/another key/.test(detail(mac, otherSecret)), 'another secret')
    expect(/no v1/.test(detail('v9,AAAA', secret)), 'an unknown scheme')
  })
}

function valueIn(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return headers[name]
}
