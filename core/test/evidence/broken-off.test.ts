import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type StreamedFile, unwrap } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { Observer, Told } from '@countersign/core/ports'
import { StoreError } from '@countersign/core/ports'
import { plainRenderer, type StoreFaults } from '@countersign/core/testing'
import type { ObservedEvents } from '../../base/ports/observed-events.ts'
import { packagePath } from '../../evidence/packages/records.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { fileIn, taken, takenWhole, type World } from './packs.ts'
import { evidenceWorld } from './world.ts'

type Event = Told<ObservedEvents>

function heard(): { readonly observer: Observer; readonly broken: () => readonly Event[] } {
  const all: Event[] = []
  return {
    observer: { event: (...told) => void all.push(told) },
    broken: () => all.filter(([name]) => name.startsWith('evidence.')),
  }
}

interface Entry {
  readonly action: string
  readonly subject: string
  readonly detail: object
}

/** Entries of the audit log about exports that broke off. */
function brokenEntries({ store, tenantId }: World): readonly Entry[] {
  return (store.entries(auditLog).get(tenantId) ?? [])
    .map(({ entry }) => JSON.parse(Buffer.from(entry).toString()) as Entry)
    .filter(({ action }) => action === 'evidence_package.broken_off')
}

type Started = (world: World) => Promise<Result<StreamedFile>>

const exports: Readonly<Record<'bulk' | 'auditor' | 'subject', Started>> = {
  bulk: ({ service, actor, applicationId }) =>
    service.evidencePackages.exportBulk(actor, { applicationIds: [applicationId] }),
  auditor: ({ service, actor, applicationId }) =>
    service.evidencePackages.exportAuditor(actor, { applicationIds: [applicationId] }),
  subject: ({ service, actor }) =>
    service.evidencePackages.exportSubject(actor, { dataSubjectId: 'ada' }),
}

describe('an export that breaks off', () => {
  it('is heard by the observer and in the audit log, whichever read of the store fails', async () => {
    for (const [packType, start] of Object.entries(exports)) {
      let left = Number.POSITIVE_INFINITY
      const faults: StoreFaults = (_, { kind }) => {
        if (kind === 'read' && left-- === 0) throw new StoreError('io', 'the disk is gone')
      }
      const { observer, broken } = heard()
      const world = await evidenceWorld('Enterprise', { faults, observer })
      await world.stored({ dataSubjectId: 'ada' })
      unwrap(await world.service.evidenceKeys.read({ tenantId: world.tenantId }))
      let cut = 0
      for (let reads = 0; ; reads++) {
        const { pieces, packageId } = unwrap(await start(world))
        left = reads
        const failure = await taken(pieces).then(
          () => null,
          (error: unknown) => error,
        )
        const isLast = left >= 0
        left = Number.POSITIVE_INFINITY
        if (isLast) break
        assert.ok(failure instanceof StoreError, `${packType}, read ${reads}`)
        cut++
        const [name, facts] = broken().at(-1) ?? []
        assert.equal(name, 'evidence.broken_off')
        assert.deepEqual(facts, {
          ...{ tenantId: world.tenantId, packageId, packType, transfer: 'export' },
          ...{ reason: 'unavailable', error: 'StoreError: the disk is gone' },
        })
        const entry = brokenEntries(world).at(-1)
        assert.equal(entry?.subject, packageId)
        assert.deepEqual(entry?.detail, {
          ...{ packType, transfer: 'export', reason: 'unavailable' },
          askedBy: world.actor.memberId,
        })
      }
      assert.ok(cut >= 5, `${cut} reads of ${packType}`)
      assert.equal(broken().length, cut)
      assert.equal(brokenEntries(world).length, cut)
    }
  })

  it('is not one whose receiver leaves', async () => {
    const { observer, broken } = heard()
    const world = await evidenceWorld('Enterprise', { observer })
    await world.stored({ dataSubjectId: 'ada' })
    for (const start of Object.values(exports))
      for await (const _ of unwrap(await start(world)).pieces) break
    assert.deepEqual([broken(), brokenEntries(world)], [[], []])
  })

  it('is told of a copy that is damaged', async () => {
    const { observer, broken } = heard()
    const world = await evidenceWorld('Enterprise', { observer })
    await world.stored()
    const { packageId } = await takenWhole(exports.bulk(world))
    const path = packagePath({ tenantId: world.tenantId, packageId })
    const bytes = world.blobs.objects().get(path)?.slice() ?? new Uint8Array()
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    await world.blobs.put([{ path, bytes }])
    const copy = unwrap(await world.service.evidencePackages.download(world.actor, { packageId }))
    await assert.rejects(taken(copy.pieces), { code: 'package_damaged' })
    const [, facts] = broken().at(-1) ?? []
    assert.ok(facts && 'transfer' in facts)
    assert.deepEqual([facts.transfer, facts.reason], ['download', 'damaged'])
    assert.equal(brokenEntries(world).at(-1)?.subject, packageId)
  })
})

describe('a member of an export that fails', () => {
  it('is named by the manifest, and the rest is delivered', async () => {
    const { observer, broken } = heard()
    const renderer = {
      ...plainRenderer,
      pdf: async () => {
        throw new Error('out of memory')
      },
    }
    const world = await evidenceWorld('Enterprise', { observer, renderer })
    await world.stored({ dataSubjectId: 'ada' })
    await world.stored({ sessionId: 'ses_2', dataSubjectId: 'ada' })
    const [path] = world.blobs.objects().keys()
    await world.blobs.remove([path ?? ''])
    for (const [start, omitted] of [
      [exports.bulk, ['not_printed', 'payload_damaged']],
      [exports.subject, ['not_printed', 'payload_damaged']],
    ] as const) {
      const { bytes } = await takenWhole(start(world))
      const manifest = JSON.parse(fileIn(bytes, 'manifest.json'))
      const reasons = manifest.omitted.map(({ reason }: { readonly reason: string }) => reason)
      assert.deepEqual(reasons.sort(), omitted)
      assert.ok(manifest.files.length >= 3)
    }
    assert.deepEqual(
      broken()
        .map(([name, facts]) => `${name} ${'part' in facts ? facts.part : ''}`)
        .sort(),
      ['pdf', 'pdf', 'session', 'session'].map((part) => `evidence.member_omitted ${part}`),
    )
  })
})
