import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { type Report, textReport } from '@countersign/conformance/receiver'
import { receivers } from '../receiver/kind.ts'
import { circumstances } from '../receiver/properties/circumstances.ts'
import { circumstancesProperty } from '../receiver/properties/signature-circumstances.ts'
import { runSuite } from '../receiver/suite.ts'
import { hurried } from './judge-broken.ts'
import { failureOf, named } from './judge-plain.ts'
import { limited } from './receiver-abilities.ts'
import { signing, verifying } from './receiver-targets.ts'

const methods = ['GET', 'HEAD', 'OPTIONS']
const properties = [
  circumstancesProperty(circumstances.filter(({ name }) => methods.includes(name))),
]

/** What a probe tells; null is no probe at all. */
const tellings = [null, [], ['effects']] as const

async function judgeCircumstances(
  change: Parameters<typeof startPlainReceiver>[1],
  tells: (typeof tellings)[number],
): Promise<Report> {
  const running = await startPlainReceiver(verifying, change)
  try {
    const { url } = running
    const probe = tells === null ? undefined : limited(running.probe, [], tells)
    const options = { ...signing, url, probe, ...hurried, budgetMs: 100_000 }
    return await runSuite(options, { ...receivers, properties })
  } finally {
    await running.close()
  }
}

describe('methods that a router may answer by itself', () => {
  for (const tells of tellings) {
    const probe = tells === null ? 'no probe' : `a probe that tells ${['stored', ...tells].join()}`

    it(`are answered 2xx by a sound receiver, which passes with ${probe}`, async () => {
      const report = await judgeCircumstances(
        {
          before: ({ method }) =>
            method === 'POST' ? null : { status: methods.includes(method) ? 200 : 405 },
        },
        tells,
      )
      assert.equal(report.passed, 1, textReport(report))
    })

    for (const method of methods)
      it(`are found where ${method} is taken unverified, with ${probe}`, async () => {
        const { change } = named(`does not verify ${method}`)
        const report = await judgeCircumstances(change(), tells)
        assert.match(
          JSON.stringify(failureOf(report, 'signature.circumstances').exchanges),
          new RegExp(`"method":"${method}"`),
        )
      })

    if (tells !== null)
      for (const method of methods)
        it(`are found where a router answers every ${method} and it is kept unverified, with ${probe}`, async () => {
          const { change } = named(`does not verify ${method}`)
          const steps = change()
          const report = await judgeCircumstances(
            { ...steps, unreadable: () => ({ status: 200 }) },
            tells,
          )
          assert.match(failureOf(report, 'signature.circumstances').found, /had to be refused and/)
        })
  }
})
