import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { encodeBase64, portablePrimitives, sharedSecretKey, sign } from '@countersign/core/signing'
import { codeBlock } from './interface.ts'

const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : null
const secret = new Uint8Array(32).fill(7)
const now = 1_700_000_000
const utf8 = new TextEncoder()
const event = (more: object) =>
  utf8.encode(JSON.stringify({ id: 'evt_1', type: 'review.case.created', ...more }))

/** Feeds requests to the document's receiver, on one database in memory, and returns its answers. */
function answersOf(requests: readonly unknown[]): readonly (readonly [number, string, number])[] {
  const program = `${codeBlock('python')}
import sqlite3, sys
database = sqlite3.connect(":memory:")
answers = []
for request in json.load(sys.stdin):
    status, text = receive(database, request["secret"], request["headers"], base64.b64decode(request["body"]), ${now})
    stored = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] and database.execute("SELECT count(*) FROM inbox").fetchone()[0]
    answers.append([status, text.decode(), stored])
print(json.dumps(answers))
`
  const run = spawnSync(python ?? '', ['-c', program], {
    input: JSON.stringify(requests),
    encoding: 'utf8',
  })
  assert.equal(run.status, 0, run.stderr)
  return JSON.parse(run.stdout)
}

function request(body: Uint8Array, timestamp = now) {
  const key = sharedSecretKey(secret, portablePrimitives)
  const signature = sign({ id: 'evt_1', timestamp, body, keys: [key] })
  return {
    secret: `whsec_${encodeBase64(secret)}`,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    },
    body: encodeBase64(body),
  }
}

it('the receiver in interface.md takes what is genuine, once, and nothing else', {
  skip: python ? false : 'python3 is not installed',
}, () => {
  const genuine = request(event({}))
  const forged = { ...genuine, body: encodeBase64(event({ type: 'review.case.decided' })) }
  const challenged = request(event({ type: 'subscription.verification_requested', challenge: 'c' }))
  const other = { ...genuine, secret: `whsec_${encodeBase64(new Uint8Array(32))}` }
  const { 'webhook-signature': _, ...unsigned } = genuine.headers
  const answers = answersOf([
    forged,
    other,
    { ...genuine, headers: unsigned },
    request(event({}), now - 301),
    request(event({}), now - 300),
    genuine,
    challenged,
  ])
  assert.deepEqual(
    answers.map(([status, , stored]) => [status, stored]),
    [
      [401, 0],
      [401, 0],
      [401, 0],
      [401, 0],
      [200, 1],
      [200, 1],
      [200, 1],
    ],
  )
  assert.deepEqual(JSON.parse(answers[6]?.[1] ?? ''), { challenge: 'c' })
})
