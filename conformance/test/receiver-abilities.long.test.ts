import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { properties, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { abilities, limited, subsetsOf, tellings } from './receiver-abilities.ts'
import { secret, signing, verifying } from './receiver-targets.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const { keys, legacySecret } = signing
const privateKey = keys[1] ?? assert.fail('no private key')

/** Every choice of keys that a property may need: one or two, with a shared secret or without. */
const keySets = [[secret], [privateKey], [secret, privateKey]]
const givens = [undefined, legacySecret]
  .flatMap((legacy) => keySets.map((given) => ({ legacy, given })))
  // All in a proof, and else every third, by the seed.
  .filter((_, at) => whole || (at + Number(seed)) % 3 === 0)
/** Null is no probe at all. */
const probes = [
  null,
  ...subsetsOf(tellings).flatMap((tells) => subsetsOf(abilities).map((can) => ({ tells, can }))),
]

describe('a sound receiver, in all that a suite may be given', () => {
  for (const { legacy, given } of givens)
    it(`passes with ${given.map((key) => key.split('_')[0]).join(' and ')}, ${legacy ? 'and' : 'without'} the legacy family, and every set of abilities`, async () => {
      const judged = new Set<string>()
      for (const [at, set] of probes.entries()) {
        const running = await startPlainReceiver(verifying)
        try {
          const report = await runReceiverSuite({
            ...{ keys: given, legacySecret: legacy, url: running.url, seed: at },
            ...(set !== null && { probe: limited(running.probe, set.can, set.tells) }),
            // Another case of each list in every set, and one history that is drawn.
            ...{ quick: true, runs: 1, mostCases: 1, budgetMs: 100_000, deadlineMs: 5_000 },
          })
          const what = `${JSON.stringify(set)}\n${textReport(report)}`
          assert.equal(report.failed, 0, what)
          assert.equal(report.leftOut, 0, what)
          for (const { name, verdict } of report.properties)
            if (verdict === 'passed') judged.add(name)
        } finally {
          await running.close()
        }
      }
      const missing = properties.filter(
        ({ name, needs, slow }) =>
          !slow &&
          !judged.has(name) &&
          !needs.some(
            (need) =>
              (need === 'keys' && given.length < 2) ||
              (need === 'secret' && !given.includes(secret)) ||
              (need === 'legacy' && legacy === undefined),
          ),
      )
      assert.deepEqual(missing, [], 'each property is judged under some of them')
    })
})
