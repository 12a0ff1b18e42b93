import { type BrokenReceiver, startPlainReceiver } from '@countersign/conformance/broken'
import { receivers } from '../receiver/kind.ts'
import { circumstances } from '../receiver/properties/circumstances.ts'
import {
  circumstancesProperty,
  circumstance as ofAll,
} from '../receiver/properties/signature-circumstances.ts'
import type { Property } from '../receiver/property.ts'
import { runSuite } from '../receiver/suite.ts'
import { type Family, familyOf, noFamilies, typesInTurn } from '../receiver/types.ts'
import { hurried } from './judge-broken.ts'
import { signing, verifying } from './receiver-targets.ts'

/** Of some circumstances the names of those under which a receiver fails, each tried by itself. */
export async function circumstancesThatFind(
  { change }: BrokenReceiver,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const tried = circumstances.filter(({ name }) => names.includes(name))
  const found = new Set<string>()
  if (tried.length === 0) return found
  const each: Property = {
    ...ofAll,
    async check(target, replay) {
      for (const one of tried) {
        const { failure } = await circumstancesProperty([one]).check(target, replay)
        if (failure !== null) found.add(one.name)
      }
      const { length: histories } = tried
      return { histories, families: noFamilies(), leftOut: 0, casesLeftOut: 0, failure: null }
    },
  }
  const running = await startPlainReceiver(verifying, change())
  try {
    const options = { ...signing, ...hurried, url: running.url, probe: running.probe }
    await runSuite({ ...options, budgetMs: 300_000 }, { ...receivers, properties: [each] })
  } finally {
    await running.close()
  }
  return found
}

/**
 * Whether a suite whose events are of these types finds a receiver by the property that is named for it; a machine that
 * was busy at the first delivery gets a second try.
 */
async function isFoundAmong(
  types: readonly string[],
  { killedBy, change }: BrokenReceiver,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const running = await startPlainReceiver(verifying, change())
    try {
      const options = { ...signing, ...hurried, url: running.url, probe: running.probe }
      const only = [killedBy]
      const report = await runSuite({ ...options, only }, { ...receivers, types })
      const [judged] = report.properties
      const isJudged = report.unusable === null && judged?.verdict !== 'not judged'
      if (isJudged) return judged?.verdict === 'failed'
      if (tries === 3) throw new Error(`${killedBy} was not judged: ${report.unusable}`)
    } finally {
      await running.close()
    }
  }
}

/** Whether the whole suite finds a receiver by the property that is named for it. */
export const isFound = (receiver: BrokenReceiver): Promise<boolean> =>
  isFoundAmong(typesInTurn, receiver)

/** The same of a suite whose events are never of this family. */
export const isFoundWithout = (family: Family, receiver: BrokenReceiver): Promise<boolean> =>
  isFoundAmong(
    typesInTurn.filter((type) => familyOf(type) !== family),
    receiver,
  )
