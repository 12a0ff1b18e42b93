import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { type Probe, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import express from 'express'
import { Webhook } from 'standardwebhooks'
import { secret } from './receiver-targets.ts'

/** A receiver as the README of standardwebhooks suggests it, with nothing but Express around. */
async function startLibraryReceiver() {
  const webhook = new Webhook(secret.slice('whsec_'.length))
  const stored: { id: string }[] = []
  const effects = new Map<string, number>()
  const app = express()
  app.post('/', express.text({ type: 'application/json' }), (request, response) => {
    const event = webhook.verify(request.body, request.headers as Record<string, string>) as {
      id: string
    }
    stored.push({ id: event.id })
    effects.set(event.id, (effects.get(event.id) ?? 0) + 1)
    response.status(204).end()
  })
  // Express prints the stack of every error; the test has no use for it.
  app.set('env', 'test')
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const probe: Probe = {
    read: async () => ({ stored, effects: [...effects].map(([id, count]) => ({ id, count })) }),
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    probe,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('a receiver of standardwebhooks and Express alone', () => {
  it('is told what it lacks, so that it can be acted on', async () => {
    const running = await startLibraryReceiver()
    try {
      const { url, probe } = running
      const report = await runReceiverSuite({
        url,
        probe,
        keys: [secret],
        seed: 7,
        settleMs: 500,
        shrinkMs: 1_000,
        quick: true,
        budgetMs: 100_000,
      })
      const named = (verdict: string) =>
        report.properties.filter((one) => one.verdict === verdict).map(({ name }) => name)
      const text = textReport(report, { command: 'countersign-conformance receiver' })
      if (process.env.SHOW_REPORT) console.log(text)

      for (const name of [
        // Its verifier throws, and Express makes a 500 of that.
        'hygiene.refusal-status',
        // It takes text and not bytes.
        'signature.raw-bytes',
        'signature.bounded',
        'timestamp.grammar',
        'idempotency.one-effect',
        'ordering.effects',
        'challenge.exact',
      ])
        assert.ok(named('failed').includes(name), `${name}\n${text}`)
      for (const name of [
        'signature.altered',
        'signature.one-of-many',
        'timestamp.window',
        'forward.accepts',
      ])
        assert.ok(named('passed').includes(name), `${name}\n${text}`)
      for (const name of ['ordering.head', 'acknowledgement.survives-kill', 'timestamp.exact'])
        assert.ok(named('not judged').includes(name), `${name}\n${text}`)

      for (const one of report.properties)
        if (one.verdict === 'failed') {
          assert.ok(one.failure.exchanges.length <= 40, one.name)
          assert.ok(text.includes(one.advice.split(' ').slice(0, 4).join(' ')), one.name)
        }
    } finally {
      running.close()
    }
  })
})
