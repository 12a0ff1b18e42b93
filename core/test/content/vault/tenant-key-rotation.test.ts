import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { silentObserver } from '../../../base/ports/observer.ts'
import type { Store } from '../../../base/ports/store.ts'
import { rotateTenantKey } from '../../../content/vault/operations.ts'
import { subjectKeys, tenantKeys } from '../../../content/vault/records.ts'
import { tenantKeyRotation } from '../../../content/vault/rotate-tenant-key.ts'
import { createTenantKeyRing } from '../../../content/vault/tenant-keys.ts'
import { createVault } from '../../../content/vault/vault.ts'
import { openGroups } from '../../../kernel/facade.ts'
import { createLedger } from '../../../kernel/ledger/ledger.ts'
import { createRunner } from '../../../kernel/work/runner.ts'
import { createKernelPorts } from '../../../kernel-ports.ts'
import { owingOn } from '../../owing.ts'
import { openingOf, owner, place, sealed, textOf, vaultWorld } from './fixture.ts'

const hour = 3_600_000
const count = 250

function processOn(world: ReturnType<typeof vaultWorld>, store: Store) {
  const ledger = createLedger({ ...world, store })
  const ring = createTenantKeyRing({ ledger, sealer: world.sealer })
  const handler = tenantKeyRotation({ ring, cipher: world.cipher, scrub: () => store.scrub() })
  const runner = createRunner({
    ledger,
    clock: world.clock,
    handlers: [handler],
    owing: owingOn(ledger),
    observer: silentObserver,
    options: { owner: 'runner', concurrency: 1 },
  })
  const post = { sends: false, owe: () => [] }
  const ports = createKernelPorts({ ledger, post, intake: { offer: () => null } })
  const opened = openGroups({ tenantKeys: [rotateTenantKey] }, ports, { ring })
  const rotate = (tenantId: string) => opened.tenantKeys.rotate({ kind: 'system' }, { tenantId })
  return { ledger, rotate, runner, vault: createVault({ ...world, ledger }) }
}

const nameOf = (at: number) => ({
  subjectId: `sub_${String(at).padStart(26, '0')}`,
  rawId: `id ${at}`,
})

async function filled() {
  const world = vaultWorld()
  const frames = []
  for (let at = 0; at < count; at++) frames.push(await sealed(world, nameOf(at), `text ${at}`))
  return { world, frames }
}

async function check(
  world: ReturnType<typeof vaultWorld>,
  frames: readonly Uint8Array[],
  what: string,
) {
  const { ledger, vault } = processOn(world, world.store)
  for (const at of [0, 1, 99, 100, 249]) {
    const { subjectId, rawId } = nameOf(at)
    const opening = await openingOf({ ledger, vault }, subjectId)
    assert.equal(
      textOf(opening.open(subjectId, place, frames[at] ?? new Uint8Array())),
      `text ${at}`,
      what,
    )
    assert.equal(opening.rawId(subjectId), rawId, what)
  }
}

describe('the rotation of a tenant key', () => {
  it('leaves payloads and pseudonyms as they are, and nothing under the old key', async () => {
    const { world, frames } = await filled()
    const before = world.store.rows(subjectKeys)
    const pseudonym = (await world.vault.pseudonyms('ten_1')).subjectOf('grace')
    const { runner, ...process } = processOn(world, world.store)
    const started = await process.rotate('ten_1')
    assert.deepEqual(started, { ok: true, value: { keyVersion: 2 } })
    await check(world, frames, 'while it runs')
    const again = await process.rotate('ten_1')
    assert.equal(again.ok ? 'none' : again.refusal.code, 'already_rotating')
    await runner.tick()
    const after = world.store.rows(subjectKeys)
    assert.ok(after.every(({ row }) => row.keyVersion === 2))
    for (const [at, { row }] of after.entries()) {
      assert.deepEqual(row.salt, before[at]?.row.salt)
      assert.notDeepEqual(row.wrapped, before[at]?.row.wrapped)
    }
    const [keys] = world.store.rows(tenantKeys)
    assert.deepEqual(
      keys?.row.keys.map(({ version }) => version),
      [2],
    )
    await check(world, frames, 'after it')
    assert.deepEqual((await process.vault.pseudonyms('ten_1')).subjectOf('grace'), pseudonym)
    const third = await process.rotate('ten_1')
    assert.deepEqual(third, { ok: true, value: { keyVersion: 3 } })
  })

  it('wraps what is sealed for new subjects meanwhile under the new key', async () => {
    const { world, frames } = await filled()
    const { runner, ...process } = processOn(world, world.store)
    await process.rotate('ten_1')
    const late = await sealed(world, nameOf(900), 'late')
    await runner.tick()
    const opening = await openingOf(process, nameOf(900).subjectId)
    assert.equal(textOf(opening.open(nameOf(900).subjectId, place, late)), 'late')
    await check(world, frames, 'after it')
  })

  it('survives a kill at any of its writes', async () => {
    for (let at = 1; ; at++) {
      const { world, frames } = await filled()
      await processOn(world, world.store).rotate('ten_1')
      let writes = 0
      let dead = false
      const mortal = async <T>(run: () => Promise<T>): Promise<T> => {
        if (!dead && ++writes < at) return run()
        if (!dead) await run()
        dead = true
        throw new Error('killed')
      }
      const { store } = world
      const dying = processOn(world, {
        ...store,
        commit: (set) => mortal(() => store.commit(set)),
        scrub: () => mortal(() => store.scrub()),
      })
      await dying.runner.tick().catch(() => {})
      await check(world, frames, `killed at write ${at}`)
      world.clock.jump(hour)
      const heir = processOn(world, store)
      await heir.runner.tick()
      await check(world, frames, `after a kill at write ${at}`)
      const [keys] = store.rows(tenantKeys)
      assert.deepEqual(
        keys?.row.keys.map(({ version }) => version),
        [2],
      )
      if (!dead) break
      assert.ok(at < 20)
    }
  })

  it('is refused where nothing is sealed yet', async () => {
    const world = vaultWorld()
    const refused = await processOn(world, world.store).rotate(owner.tenantId)
    assert.equal(refused.ok ? 'none' : refused.refusal.code, 'not_found')
  })
})
