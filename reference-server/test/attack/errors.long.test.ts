import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openingOf } from '../processes/stage.ts'
import { openVictim, type Victim } from './harness.ts'

const mebibyte = 1024 * 1024
/** Bytes of an answer to a refused request: 20 errors, each with a name of 1000 characters that JSON escapes. */
const longestAnswer = 128 * 1024
const rounds = 20

const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(',')

/** Bodies of about 1 MiB that something has to be said about, or that cost much to take. */
const bodies: Readonly<Record<string, string>> = {
  'unknown members': `{${times(90_000, (at) => `"x${at}":0`)}}`,
  'as many unknown members as are read': `{${times(9_500, (at) => `"${'x'.repeat(40)}${at}":0`)}}`,
  'empty objects': `[${times(340_000, () => '{}')}]`,
  numbers: `{"presentation":[${times(500_000, () => '1')}]}`,
  'types of events': `{"url":"x","eventTypes":[${times(9_500, () => '0')}]}`,
  'one name': `{"${'n'.repeat(mebibyte - 10)}":0}`,
  'names of control characters': `{${times(170, (at) => `"${'\\u0001'.repeat(990)}${at}":0`)}}`,
  'equal members': `{${times(100_000, () => '"same":0')}}`,
  'one number': `[${'9'.repeat(mebibyte - 10)}]`,
  levels: `${'['.repeat(mebibyte / 2)}${']'.repeat(mebibyte / 2)}`,
  escapes: `["${'\\u0041'.repeat(170_000)}"]`,
  quotes: `["${'\\"'.repeat(mebibyte / 2 - 10)}"]`,
}

let addresses = 0

function nextAddress(): Record<string, string> {
  addresses++
  return { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses % 256}` }
}

describe('bodies that are wrong in many ways', () => {
  let victim: Victim

  before(async () => {
    victim = await openVictim({ environment: { COUNTERSIGN_TRUSTED_PROXIES: '1' } })
  })
  after(() => victim.end())

  async function refused(url: string, headers: Record<string, string>, body: string) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const text = await answer.text()
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}: ${text.slice(0, 99)}`)
    assert.ok(text.length <= longestAnswer, `${text.length} bytes of answer`)
    return answer.status
  }

  /** Of a caller whom nobody knows nothing more is read: one who goes on writing may find the connection closed. */
  async function cutOff(url: string, headers: Record<string, string>, body: string) {
    const status = await refused(url, headers, body).catch(({ cause }: Error) => {
      assert.match(String(cause), /EPIPE|ECONNRESET|other side closed/)
      return 'closed' as const
    })
    assert.ok(status === 413 || status === 'closed', `${status}`)
  }

  for (const [name, body] of Object.entries(bodies))
    it(`${name}: are answered shortly, and hold the loop shortly`, async () => {
      const { server, stage, cookie } = victim
      const key = { 'x-api-key': stage.organization.applicationKey }
      await victim.withstands(async () => {
        for (let round = 0; round < rounds; round++) {
          assert.equal(await refused(`${server.ingest}/v1/review-cases`, key, body), 400)
          assert.equal(await refused(`${server.portal}/v1/webhooks`, { cookie }, body), 400)
          // Nobody in particular, from another address each time.
          const login = `${server.portal}/v1/auth/login`
          await cutOff(login, nextAddress(), body)
          assert.equal(await refused(login, nextAddress(), body.slice(0, 10_000)), 400)
        }
      })
    })

  it('a body of the largest size that is right holds the loop shortly', async () => {
    const { server } = victim
    const members = Array.from({ length: 9_500 }, (_, at) => [`member ${at}`, 'x'.repeat(30)])
    await victim.withstands(async () => {
      for (let round = 0; round < 5; round++) {
        const opening = {
          ...openingOf(`large-${round}`),
          presentation: Object.fromEntries(members),
        }
        const answer = await server.application.ask('POST', '/v1/review-cases', opening)
        assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 200))
      }
    })
  })
})
