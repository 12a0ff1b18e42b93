import assert from 'node:assert/strict'
import {
  type BrokenReceiver,
  brokenReceivers,
  startPlainReceiver,
} from '@countersign/conformance/broken'
import { type Report, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { signing, verifying } from './receiver-targets.ts'

/** A broken receiver by its name. */
export function named(name: string): BrokenReceiver {
  return brokenReceivers.find((one) => one.name === name) ?? assert.fail(`no receiver ${name}`)
}

/** Runs the suite against the plain receiver with some of it changed. */
export async function judge(
  change: object,
  options: Partial<Parameters<typeof runReceiverSuite>[0]> = {},
): Promise<Report> {
  const running = await startPlainReceiver(verifying, change)
  try {
    const { url, probe } = running
    return await runReceiverSuite({ ...signing, url, probe, settleMs: 1_000, ...options })
  } finally {
    await running.close()
  }
}

/** How a property failed; the test fails where it did not. */
export function failureOf(report: Report, name: string) {
  const found = report.properties.find((one) => one.name === name)
  assert.ok(found?.verdict === 'failed', textReport(report))
  return found.failure
}
