import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { customerKeyTypes } from '@countersign/core/access'
import { type Route, routes } from '../index.ts'
import { ask, type Cast, openCast } from './cast.ts'
import { keyOf, type Sample, sampleOf } from './requests.ts'
import { type App, type Person, value } from './world.ts'

const text = readFileSync(new URL('../../../../core/docs/interface.md', import.meta.url), 'utf8')
const areas = ['POST ingest', 'GET ingest', 'cases', 'portal'] as const
type Area = (typeof areas)[number]

/** The table of powers in core/docs/interface.md: credential, then a cell for each area. */
const powers = (text.split('### Customer key\n')[1]?.split('\n### ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

function areaOf({ host, method, path, auth }: Route): Area | null {
  if (auth === 'none' || host === 'staff') return null
  if (host === 'portal') return 'portal'
  if (!path.startsWith('/v1/ingest/')) return 'cases'
  return method === 'GET' ? 'GET ingest' : 'POST ingest'
}

/** Who holds the credentials of a line, of the home organization. */
async function holders(world: Cast, line: string): Promise<readonly (App | Person)[]> {
  const { home, service } = world
  if (line.includes('cookie')) return [home.admin]
  if (line.includes('svc_app_')) return [home.app]
  const { tenantId, applicationId } = home.app
  return Promise.all(
    customerKeyTypes
      .filter((type) => line.includes(`\`${type}\``))
      .map(async (type) => {
        const input = { tenantId, applicationId, type, ratePerMinute: 10_000 }
        const issued = await service.customerKeys.provision({ kind: 'system' }, input)
        const { keyId, value: compound } = value(issued)
        return { tenantId, applicationId, keyId, key: compound.split('.').at(-1) ?? '' }
      }),
  )
}

/** A request by its form alone: whoever may not call is refused before anything of it is looked up. */
function anyOf({ path, body }: Route): Sample {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 'id_0'])
  return { audience: 'anyone', ids: Object.fromEntries(ids), ...(body.input && { body: {} }) }
}

test('the table of powers has each credential once', () => {
  const lines = powers.map(([line = '']) => line)
  for (const name of [...customerKeyTypes, 'svc_app_', 'cookie'])
    assert.equal(lines.filter((line) => line.includes(name)).length, 1, name)
})

describe('each credential opens what the table of powers says, and nothing else', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

  for (const [line = '', ...cells] of powers)
    test(line, async () => {
      const callers = await holders(world, line)
      assert.notEqual(callers.length, 0)
      for (const row of routes) {
        const area = areaOf(row)
        if (!area) continue
        const cell = cells[areas.indexOf(area)] ?? ''
        const refused = /^\d+$/.test(cell) ? Number(cell) : null
        // Who may do what on the portal is for the members' own table; here a read stands for it.
        if (refused === null && row.host === 'portal' && row.method !== 'GET') continue
        const sample = refused === null ? await sampleOf(row, world) : anyOf(row)
        for (const as of callers) {
          const answer = await ask(world, row, sample, { as })
          const expected = refused ?? sample.granted?.status ?? row.answer.status ?? 200
          assert.equal(answer.status, expected, `${keyOf(row)}: ${answer.text}`)
        }
      }
    })
})
