import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { type RunningReceiver, startPlainReceiver } from '@countersign/conformance/broken'
import { runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { exitCode } from '../cli/exit-code.ts'
import { hosts, signing, startKit, verifying } from './receiver-targets.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const load = 8
/** By default in a proof; a part of it shows as well that nothing sound fails, and what is said of the rest. */
const budgetSeconds = whole ? undefined : 40
/** Ends once this process has, however that ended. */
const busyProgram = 'for (const parent = process.ppid; process.ppid === parent; );'

const starts: Readonly<Record<string, () => Promise<RunningReceiver>>> = {
  'a plain receiver': () => startPlainReceiver(verifying),
  ...Object.fromEntries(
    Object.entries(hosts).map(([name, host]) => [`the kit behind ${name}`, () => startKit(host)]),
  ),
}

/** All in a proof, and else one by the seed. */
const all = Object.entries(starts)
const tried = whole ? all : all.slice(Math.abs(Number(seed)) % all.length).slice(0, 1)

describe(`sound receivers beside ${load} busy processes`, () => {
  let busy: ReturnType<typeof spawn>[] = []
  before(() => {
    busy = Array.from({ length: load }, () => spawn(process.execPath, ['-e', busyProgram]))
  })
  after(() => {
    for (const one of busy) one.kill()
  })

  for (const [name, start] of tried)
    it(`do not fail, and lack no time or are told the budget that they need: ${name}`, async () => {
      const running = await start()
      try {
        const { keys, legacySecret } = signing
        const { url, probe } = running
        const budgetMs = budgetSeconds && budgetSeconds * 1_000
        const report = await runReceiverSuite({ keys, legacySecret, url, probe, budgetMs })
        const { passed, failed, outOfTime, notJudged, seconds } = report
        console.log(
          `${name}: ${passed} passed, ${failed} failed, ${notJudged} not judged, ${outOfTime} of them required and for want of time, ${seconds} s`,
        )
        const text = textReport(report)
        assert.equal(failed, 0, text)
        if (outOfTime === 0) return assert.equal(exitCode(report), 0)
        assert.equal(exitCode(report), 3)
        const last = text.trimEnd().split('\n').at(-1) ?? ''
        const had = `\\(it had ${budgetSeconds ?? 180}\\)`
        assert.match(last, new RegExp(`this machine needs --budget \\d+ for (it|them) ${had}$`))
      } finally {
        await running.close()
      }
    })
})
