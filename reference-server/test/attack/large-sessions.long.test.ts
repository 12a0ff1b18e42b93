import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { must } from '../../demo/client.ts'
import { openVictim, type Victim } from './harness.ts'
import { type Readers, readersOf } from './readers.ts'

const mebibyte = 1024 * 1024
/** Steps of a session of spans at most, and those of one that people ask for more often. */
const most = 20_000
const many = 4_500
/** Spans of one export. */
const piece = 2_500
/** Of each step's input. */
const content = 'what the model was asked '.repeat(8)

describe('documents and exports as large as they get', () => {
  let victim: Victim
  let reading: Readers
  let sent = 0

  /** Sends spans with an input each; the answer's status. */
  async function send(sessionId: string, inputs: readonly string[]): Promise<number> {
    const now = Date.now()
    const spans = inputs.map((text) => ({
      traceId: '1'.repeat(32),
      spanId: (++sent).toString(16).padStart(16, '0'),
      name: `step ${sent}`,
      startTimeUnixNano: `${now - 60_000 + sent}000000`,
      endTimeUnixNano: `${now - 60_000 + sent}500000`,
      attributes: Object.entries({ 'session.id': sessionId, 'input.value': text }).map(
        ([key, value]) => ({ key, value: { stringValue: value } }),
      ),
    }))
    const answer = await fetch(`${victim.server.ingest}/v1/ingest/otlp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': victim.stage.organization.customerKey.split('.').at(-1) ?? '',
      },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    })
    const text = await answer.text()
    if (answer.status !== 200) process.stdout.write(`# ${text.slice(0, 200)}\n`)
    return answer.status
  }

  async function fill(sessionId: string, steps: number): Promise<void> {
    for (let at = 0; at < steps; at += piece) {
      const count = Math.min(piece, steps - at)
      const inputs = Array.from({ length: count }, (_, n) => `${content}${at + n}`)
      assert.equal(await send(sessionId, inputs), 200)
    }
  }

  const packOf = (sessionId: string) => reading.readToEnd(`/v1/sessions/${sessionId}/evidence-pack`)

  before(async () => {
    victim = await openVictim()
    reading = readersOf(victim)
    await fill('small', 10)
    await fill('large', many)
    await fill('largest', most)
    // The thread that prints is there from the first document on.
    assert.ok((await packOf('small')) > 1_000)
  })
  after(() => victim.end())

  it(`four PDFs of ${many} steps at once hold neither memory nor the loop`, async () => {
    await victim.withstands(async () => {
      const sizes = await Promise.all(Array.from({ length: 4 }, () => packOf('large')))
      for (const size of sizes) assert.ok(size > many * 50, `${size} bytes`)
    })
  })

  it(`a PDF of ${most} steps holds neither memory nor the loop`, async () => {
    await victim.withstands(async () => {
      assert.ok((await packOf('largest')) > most * 50)
    })
  })

  it('an export of 16 MiB that is full of what redaction looks for holds neither', async () => {
    const { admin, stage } = victim
    const policies = [{ name: 'addresses', detect: 'email', action: 'mask' }]
    const path = `/v1/applications/${stage.organization.applicationId}/redaction-policies`
    await must(admin.ask('PUT', path, { policies }))
    const spans = 5
    const text = (unit: string) =>
      unit.repeat((16 * mebibyte - 2_048 * spans) / spans / unit.length)
    const inputs = (unit: string) => Array.from({ length: spans }, () => text(unit))
    // What the body itself takes is not the redaction's.
    for (let times = 0; times < 2; times++) assert.equal(await send('plain', inputs('text')), 200)
    await victim.withstands(async () => {
      assert.equal(await send('redacted', inputs('a@a.')), 200)
    })
  })
})
