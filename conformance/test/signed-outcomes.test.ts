import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  brokenSignedReceivers,
  type OutcomeFault,
  startOutcomeReceiver,
} from '@countersign/conformance/broken'
import { main } from '@countersign/conformance/cli'
import { createSuiteReviewers, runOutcomeSuite } from '@countersign/conformance/outcome'
import { type Report, textReport } from '@countersign/conformance/receiver'
import {
  createOutcomeCallbackHandler,
  isApproved,
  memoryInbox,
  type Receiver,
} from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { createSignedOutcomeHandler } from '@countersign/receiver-kit/reviewers'
import { serveProbe } from './probe-server.ts'
import { secret, verifying } from './receiver-targets.ts'

const applicationId = 'app_01m3xq8v7c0h2k4n6p8r0t2w4y'
const name = 'outcome.unsigned-approval'
const reviewers = createSuiteReviewers()
const { asked, ...pinned } = reviewers.pinned
const suite = { keys: [secret], applicationId, deadlineMs: 5_000, reviewers } as const
const given = { verifyKeys: verifying.verifyKeys, applicationId, pinned: reviewers.pinned }

/** What the suite says of a handler of the kit that acts on what it takes for approved. */
async function judged(
  make: (act: (id: string) => void, inbox: ReturnType<typeof memoryInbox>) => Receiver,
): Promise<Report> {
  const inbox = memoryInbox()
  const acted = new Set<string>()
  const handler = make((id) => void acted.add(id), inbox)
  handler.start()
  const server = createServer(nodeHandler(handler))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const probe = {
    read: async ({ ids }: { readonly ids: readonly string[] }) => {
      const has = await inbox.has(ids)
      return {
        stored: ids.flatMap((id, at) => (has[at] ? [{ id }] : [])),
        effects: ids.flatMap((id) => (acted.has(id) ? [{ id, count: 1 }] : [])),
      }
    },
  }
  const report = await runOutcomeSuite({ ...suite, url, probe, runs: 5, only: ['outcome'] })
  server.closeAllConnections()
  server.close()
  await handler.stop()
  return report
}

function failedIn(report: Report): readonly string[] {
  return report.properties.flatMap((one) => (one.verdict === 'failed' ? [one.name] : []))
}

describe('the outcome suite with reviewers', () => {
  it('passes a handler of the kit that pins their keys', async () => {
    const report = await judged((act, inbox) =>
      createSignedOutcomeHandler({
        ...{ keys: [secret], applicationId, inbox },
        reviewers: {
          ...pinned,
          expected: async ({ checkpointId }) => ({
            ...asked,
            ...{ tenantId: 'ten_conformance', applicationId, checkpointId },
          }),
        },
        onOutcome: ({ approved, outcome }) => {
          if (approved) act(outcome.id)
        },
      }),
    )
    assert.deepEqual(failedIn(report), [], textReport(report))
    assert.ok(report.properties.some((property) => property.name === name))
  })

  it('fails one that does not', async () => {
    const report = await judged((act, inbox) =>
      createOutcomeCallbackHandler({
        ...{ keys: [secret], applicationId, inbox },
        onOutcome: ({ outcome }) => {
          if (isApproved(outcome)) act(outcome.id)
        },
      }),
    )
    assert.deepEqual(failedIn(report), [name], textReport(report))
  })

  it('passes an endpoint without fault', async () => {
    const { url, probe, close } = await startOutcomeReceiver(given)
    const report = await runOutcomeSuite({ ...suite, url, probe, runs: 5, only: ['outcome'] })
    await close()
    assert.deepEqual(failedIn(report), [], textReport(report))
  })

  for (const { name: fault, killedBy, change } of brokenSignedReceivers)
    it(`fails an endpoint that ${fault}, however little is drawn`, async () => {
      const { url, probe, close } = await startOutcomeReceiver(given, change)
      const report = await runOutcomeSuite({ ...suite, url, probe, runs: 1, only: ['outcome'] })
      await close()
      assert.deepEqual(failedIn(report), [killedBy], textReport(report))
    })

  it('is a command, with reviewers from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-reviewers-'))
    const file = join(folder, 'reviewers.json')
    const run = async (...args: string[]) => {
      const told: string[] = []
      const write = (text: string) => void told.push(text)
      const around = { env: {}, out: write, err: write, terminal: false }
      return { status: await main(['outcome', ...args], around), text: told.join('') }
    }
    const [trusting = assert.fail('there is none')] = brokenSignedReceivers
    const judged = async (change?: OutcomeFault) => {
      const { pinned } = JSON.parse(readFileSync(file, 'utf8'))
      const endpoint = await startOutcomeReceiver({ ...given, pinned }, change)
      const probe = await serveProbe(endpoint.probe)
      const of = [
        '--application-id',
        applicationId,
        '--secret',
        secret,
        '--runs',
        '1',
        '--only',
        'outcome',
        '--quiet',
      ]
      const target = ['--url', endpoint.url, '--probe', probe.url, '--reviewers', file]
      const answer = await run(...of, ...target)
      await Promise.all([endpoint.close(), probe.close()])
      return answer
    }
    try {
      assert.equal((await run('--new-reviewers', file)).status, 0)
      assert.equal((await run('--new-reviewers', file)).status, 2, 'a file is never replaced')
      const sound = await judged()
      assert.equal(sound.status, 0, sound.text)
      assert.match(sound.text, /✓ unsigned-approval/)
      const broken = await judged(trusting.change)
      assert.equal(broken.status, 1, broken.text)
      const noProbe = ['--url', 'http://127.0.0.1:1', '--application-id', applicationId]
      const wrong = await run(...noProbe, '--reviewers', file)
      assert.match(wrong.text, /expected a probe/)
      const none = ['--probe', 'http://127.0.0.1:1', '--reviewers', join(folder, 'none.json')]
      assert.equal((await run(...noProbe, ...none)).status, 2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
