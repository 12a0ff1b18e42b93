import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { receivers } from '../receiver/kind.ts'
import type { Signed } from '../receiver/messages.ts'
import { circumstances } from '../receiver/properties/circumstances.ts'
import {
  circumstancesProperty,
  circumstance as ofAll,
} from '../receiver/properties/signature-circumstances.ts'
import type { Property } from '../receiver/property.ts'
import { runSuite } from '../receiver/suite.ts'
import { families, familyOf, noFamilies } from '../receiver/types.ts'
import { circumstanceNames } from './circumstance-names.ts'
import { signing, verifying } from './receiver-targets.ts'

const kinds = ['signed with another key', 'changed after signing', 'an hour old']
const everyForgery = families.flatMap((family) => kinds.map((kind) => `${family}, ${kind}`)).sort()

describe('the circumstances of a signature', () => {
  it('are those that are written down', () => {
    assert.deepEqual(
      circumstances.map(({ name }) => name),
      circumstanceNames,
    )
  })

  it('are each tried with every forgery of every family, unless they are of one type', async () => {
    const lacking: string[] = []
    const each: Property = {
      ...ofAll,
      async check(target, replay) {
        for (const one of circumstances) {
          const forged = new Set<string>()
          const client: typeof target.client = {
            ...target.client,
            send(request) {
              const { label } = request as Signed
              const kind = kinds.find((text) => label.endsWith(`, ${one.name}, ${text}`))
              if (kind) forged.add(`${familyOf(label.split(' ')[0] ?? '')}, ${kind}`)
              return target.client.send(request)
            },
          }
          const checked = await circumstancesProperty([one]).check({ ...target, client }, replay)
          assert.equal(checked.failure, null, one.name)
          const isOfOneType = one.known || one.event?.type !== undefined
          const wanted = isOfOneType ? kinds.length : everyForgery.length
          if (forged.size !== wanted) lacking.push(`${one.name}: ${[...forged].sort().join('; ')}`)
        }
        const { length: histories } = circumstances
        return { histories, families: noFamilies(), leftOut: 0, casesLeftOut: 0, failure: null }
      },
    }
    const running = await startPlainReceiver(verifying)
    try {
      const { url, probe } = running
      const options = { ...signing, url, probe, budgetMs: 100_000 }
      const { passed } = await runSuite(options, { ...receivers, properties: [each] })
      assert.equal(passed, 1)
      assert.deepEqual(lacking, [])
    } finally {
      await running.close()
    }
  })
})
