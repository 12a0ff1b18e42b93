import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { savedSettings } from '../../applications/changed-application.ts'
import type { ApplicationSettings } from '../../applications/records.ts'
import type { ApplicationInput } from '../../applications/view.ts'
import { code, value } from '../organizations/access/fixture.ts'
import { move, url, withApplication } from './fixture.ts'

async function world() {
  const fixture = await withApplication()
  const { applications, adminActor, application } = fixture
  const { applicationId } = application
  return {
    ...fixture,
    applicationId,
    update: (input: Omit<Parameters<typeof applications.update>[1], 'applicationId'>) =>
      applications.update(adminActor, { applicationId, ...input }),
    read: async () => value(await applications.read(adminActor, { applicationId })),
  }
}

const threshold = fc.option(fc.integer({ min: 0, max: 1_000 }).map((tenths) => tenths / 10))
const given: fc.Arbitrary<ApplicationInput['settings']> = fc.oneof(
  fc.constantFrom(undefined, null),
  fc.record({ governanceThreshold: threshold, qualityThreshold: threshold }, { requiredKeys: [] }),
)

/** What is set after each of some updates, by the words of the interface. */
function keepsWhatIsAbsent(saved: typeof savedSettings, drawn: object = {}): void {
  fc.assert(
    fc.property(fc.array(given, { maxLength: 8 }), (inputs) => {
      const expected: Record<string, number | null> = {}
      let settings: ApplicationSettings | null = null
      for (const input of inputs) {
        if (input === null) for (const name of Object.keys(expected)) delete expected[name]
        for (const [name, to] of Object.entries(input ?? {}))
          if (to === null) delete expected[name]
          else if (to !== undefined) expected[name] = to
        settings = saved(settings, input)
        const { governanceThreshold = null, qualityThreshold = null } = expected
        assert.deepEqual(
          settings,
          Object.keys(expected).length === 0 ? null : { governanceThreshold, qualityThreshold },
        )
      }
    }),
    drawn,
  )
}

describe('the settings of an application', () => {
  it('keep what an update does not name, and lose what it names as null', () => {
    keepsWhatIsAbsent(savedSettings)
    const mutants: readonly (typeof savedSettings)[] = [
      (_, input) => savedSettings(null, input),
      (was, input) => savedSettings(was, input ?? undefined),
      (was, input) =>
        savedSettings(
          was,
          input && {
            ...input,
            ...(input.qualityThreshold === null && {
              qualityThreshold: was?.qualityThreshold ?? null,
            }),
          },
        ),
    ]
    // Drawn alike in every run: whether chance finds a mutant is no news.
    for (const [at, mutant] of mutants.entries())
      assert.throws(() => keepsWhatIsAbsent(mutant, { seed: 1 }), `mutant ${at}`)
  })

  it('are changed by an admin, with name and description, in a version of their own', async () => {
    const { update, read, applicationId, clock, audited } = await world()
    clock.jump(1_000)
    const settings = { governanceThreshold: 80 }
    const after = value(await update({ name: ' Payments ', description: 'pays', settings }))
    assert.deepEqual(after, await read())
    const { name, description, version, updatedAt, createdAt } = after
    assert.deepEqual([name, description, version], ['Payments', 'pays', 2])
    assert.equal(Date.parse(updatedAt) - Date.parse(createdAt), 1_000)
    assert.deepEqual(after.settings, { governanceThreshold: 80, qualityThreshold: null })
    const entry = (await audited()).at(-1)
    assert.deepEqual(
      [entry?.action, entry?.subject, entry?.detail],
      [
        'application.updated',
        applicationId,
        {
          changed: 'name,description,settings',
          governanceThreshold: 80,
          qualityThreshold: null,
        },
      ],
    )
  })

  it('are not written where nothing changes', async () => {
    const { update, read, audited } = await world()
    value(await update({ settings: { qualityThreshold: 60.5 } }))
    const [before, entries] = [await read(), await audited()]
    for (const input of [{}, { name: 'Claims', settings: { qualityThreshold: 60.5 } }])
      assert.deepEqual(value(await update(input)), before)
    assert.deepEqual(await audited(), entries)
  })

  it('are refused for a version that is not the current one', async () => {
    const { update, read, applications, adminActor, applicationId } = await world()
    assert.equal(value(await update({ version: 1, name: 'A' })).version, 2)
    assert.equal(code(await update({ version: 1, name: 'B' })), 'version_conflict')
    value(await applications.setOutcomeCallback(adminActor, { applicationId, url, enabled: true }))
    assert.equal(code(await update({ version: 2, name: 'B' })), 'version_conflict')
    const both = await Promise.all([
      update({ version: 3, name: 'C' }),
      update({ version: 3, name: 'D' }),
    ])
    assert.deepEqual(both.map(code).sort(), ['ok', 'version_conflict'])
    assert.equal((await read()).version, 4)
  })

  it('are numbers from 0 to 100', async () => {
    const { update, applications, adminActor } = await world()
    for (const wrong of [-0.1, 100.1, Number.NaN, Number.POSITIVE_INFINITY, '80' as never])
      for (const name of ['governanceThreshold', 'qualityThreshold']) {
        const settings = { [name]: wrong }
        for (const refused of [
          await update({ settings }),
          await applications.create(adminActor, { name: 'X', settings }),
        ]) {
          assert.equal(code(refused), 'invalid_request')
          const errors = refused.ok ? [] : refused.refusal.errors
          assert.deepEqual(
            errors?.map(({ pointer }) => pointer),
            [`/settings/${name}`],
          )
        }
      }
  })

  it('are refused once the application is being deleted', async () => {
    const fixture = await world()
    await move(fixture, fixture.applicationId, { lifecycleState: 'pending_deletion' })
    assert.equal(code(await fixture.update({ name: 'X' })), 'application_gone')
  })

  it('may be given at its creation, with its stage', async () => {
    const { applications, adminActor, reviewerActor, update, applicationId } = await world()
    const settings = { qualityThreshold: 0 }
    const made = value(
      await applications.create(adminActor, { name: 'Y', stage: 'production', settings }),
    )
    assert.deepEqual(
      [made.stage, made.settings, made.version],
      ['production', { governanceThreshold: null, qualityThreshold: 0 }, 1],
    )
    const odd = await applications.create(adminActor, { name: 'Y', stage: 'live' as never })
    assert.equal(code(odd), 'invalid_request')
    assert.equal(code(await update({ description: '' })), 'invalid_request')
    assert.equal(code(await applications.update(reviewerActor, { applicationId })), 'forbidden')
  })
})
