import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Report, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import {
  type LibraryReceiver,
  startLibraryReceiver,
  startSoundLibraryReceiver,
  verifiers,
} from './library-receivers.ts'
import { secret } from './receiver-targets.ts'

async function judge(running: LibraryReceiver, only?: readonly string[]): Promise<Report> {
  try {
    const { url, probe } = running
    return await runReceiverSuite({
      ...{ url, probe, keys: [secret], seed: 7, settleMs: 500, shrinkMs: 500 },
      ...{ quick: true, budgetMs: 100_000, only },
    })
  } finally {
    running.close()
  }
}

const failed = (report: Report, level: string): readonly string[] =>
  report.properties.flatMap((one) =>
    one.verdict === 'failed' && one.level === level ? [one.name] : [],
  )

/** Groups of what a verifier leaves to its user: copies, order, challenges, large and foreign bodies. */
const leftToTheUser = /^(idempotency|ordering|challenge)\./

describe('a receiver of a public library', () => {
  for (const name of Object.keys(verifiers)) {
    it(`is told what it lacks with ${name} alone`, async () => {
      const report = await judge(await startLibraryReceiver(name))
      const text = textReport(report, { command: 'countersign-conformance receiver' })
      const required = failed(report, 'required')
      assert.deepEqual(
        required.filter((one) => !leftToTheUser.test(one)),
        [],
        text,
      )
      for (const lacking of ['idempotency.one-effect', 'ordering.effects', 'challenge.exact'])
        assert.ok(required.includes(lacking), `${lacking}\n${text}`)
      for (const one of ['timestamp.grammar', 'signature.raw-bytes'])
        assert.ok(failed(report, 'hardening').includes(one), `${one}\n${text}`)
      for (const one of report.properties)
        if (one.verdict === 'failed')
          assert.ok(text.includes(one.advice.split(' ').slice(0, 4).join(' ')), one.name)
    })

    it(`passes what is required with ${name} when it is sound in the rest`, async () => {
      const report = await judge(await startSoundLibraryReceiver(name))
      assert.deepEqual(failed(report, 'required'), [], textReport(report))
      assert.ok(failed(report, 'hardening').length > 0, 'the advice for the library is still seen')
    })
  }
})
