import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError, createClient } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'
import { type Route, routes } from '../index.ts'
import { entitled, keyOf, type Sample, sampleOf } from './requests.ts'
import { type App, openWorld, type Person, password, type World } from './world.ts'

type Method = (input: object) => Promise<unknown>
type Groups = Readonly<Record<string, Readonly<Record<string, Method>>>>

/** The client of a row's host, as someone who may call it. */
function groupsOf({ host, auth }: Route, world: World, as: Person | App | null): Groups {
  const origin = `http://127.0.0.1:${world.ports[host]}`
  if (host === 'portal') {
    const token = as && 'cookie' in as && auth === 'member' ? { token: as.cookie } : {}
    return createPortalClient({ portalUrl: origin, ...token }) as unknown as Groups
  }
  const { key } = as && 'key' in as ? as : world.home.app
  return createClient({ ingestUrl: origin, apiKey: key }) as unknown as Groups
}

/** Parameters of path, query and body as the one object that a method takes. */
function inputOf({ ids, query, body, optional }: Sample): object {
  return { ...ids, ...Object.fromEntries(new URLSearchParams(query)), ...body, ...optional }
}

describe('the typed client calls every operation of the real app', () => {
  for (const row of routes)
    test(keyOf(row), async () => {
      const world = await openWorld()
      try {
        const sample = await sampleOf(row, world)
        if (row.path.endsWith('/test')) world.service.start()
        const client = groupsOf(row, world, entitled(sample, world))
        const [group = '', act = ''] = row.name.split('.')
        const call = client[group]?.[act]
        assert.ok(call, `the client has no ${row.name}: run npm run describe`)
        const answer = await Promise.resolve(call(inputOf(sample))).catch((error: unknown) => error)
        if (sample.granted) {
          assert.ok(answer instanceof ApiError, String(answer))
          assert.deepEqual(
            [answer.status, answer.code],
            [sample.granted.status, sample.granted.code],
          )
          return
        }
        if (answer instanceof Error) throw answer
        const json = row.answer.types.includes('application/json')
        const told = json ? answer : await (answer as { bytes(): Promise<Uint8Array> }).bytes()
        const parsed = row.answer.schema.safeParse(told)
        assert.ok(parsed.success, `${row.name} answered otherwise: ${parsed.error?.message}`)
        const printed = client[group]?.[`${act}Pdf`]
        if (json && row.answer.types.length > 1) {
          assert.ok(printed)
          const { mediaType } = (await printed(inputOf(sample))) as { readonly mediaType: string }
          assert.equal(mediaType, 'application/pdf')
        } else assert.equal(printed, undefined)
        assert.deepEqual(world.incidents, [])
      } finally {
        await world.close()
      }
    })
})

test('a member logs in, goes through lists and decides a case', async () => {
  const world = await openWorld()
  try {
    const { home, reviewer, ports, opened } = world
    for (let i = 0; i < 3; i++) await opened(home.app, { sessionId: `ses_${i}` })
    const portal = createPortalClient({ portalUrl: `http://127.0.0.1:${ports.portal}` })
    await portal.auth.login({ email: reviewer.email, password })
    const ids: string[] = []
    for await (const { reviewCaseId } of portal.reviewCases.list({ state: 'open' }))
      ids.push(reviewCaseId)
    assert.equal(new Set(ids).size, 3)
    const [reviewCaseId = ''] = ids
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    assert.equal(await portal.reviewCases.read({ case: seen }), seen)
    const presentationDigest = seen.presentationDigest ?? ''
    const decision = { presentationDigest, decision: 'approved' } as const
    await portal.reviewCases.requestFollowUp({ case: seen, question: 'Who ordered this?' })
    await assert.rejects(
      portal.reviewCases.decide({ case: seen, ...decision }),
      (error) =>
        error instanceof ApiError &&
        error.code === 'precondition_failed' &&
        error.case?.caseVersion === seen.caseVersion + 1,
    )
    const now = await portal.reviewCases.read({ reviewCaseId })
    assert.equal((await portal.reviewCases.decide({ case: now, ...decision })).state, 'decided')
  } finally {
    await world.close()
  }
})
