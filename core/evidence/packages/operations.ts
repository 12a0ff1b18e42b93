import { erasingIn, marksOf } from '../../content/erasure-marks.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { mapped, type Query, queryOf, Refused, together } from '../../kernel/query.ts'
import { line } from '../../kernel/shape.ts'
import { type EvidencePackage, evidencePackages, packageView, shownPackage } from './records.ts'

const { list, reading } = operationsWith<{
  /** The portal API's base URL, without a slash at its end; download URLs begin with it. */
  readonly portalUrl: string
}>()
const packageShape = object(shownPackage, 'Package')

/** A part of the packages, newest first; those of data subjects for admins alone. */
export const listPackages = list({
  name: 'evidencePackages.list',
  doc: 'List packages, newest first',
  right: 'exportEvidence',
  filter: {},
  items: 'packages',
  item: packageShape,
  refuses: [],
  async source({ by: { tenantId, role }, tools, ask }) {
    const { erasing } = await ask({ erasing: erasingOf(tenantId) })
    const all = { by: 'key', where: { tenantId } }
    const ofAll = { by: 'byAudience', where: { tenantId, forAdmins: 0 } }
    return rowsBy(evidencePackages, {
      ...(role === 'CustomerAdmin' ? all : ofAll),
      cursor: 'packageId',
      newest: true,
      has: ({ applicationIds }) => !erasing.endsPackage(applicationIds),
      show: (row) => packageView(row, tools.portalUrl),
    })
  },
})

/** One package. */
export const readPackage = reading({
  name: 'evidencePackages.read',
  doc: 'Read a package',
  right: 'exportEvidence',
  takes: { packageId: line(longest.id) },
  gives: packageShape,
  refuses: ['not_found'],
  async run({ by, tools, ask }, { packageId }) {
    const { row } = await ask({ row: packageFor(by, packageId) })
    return packageView(row, tools.portalUrl)
  },
})

/** Packages of evidence (interface, Evidence package). */
export const packageOperations = [listPackages, readPackage] as const

export const noPackage = 'no such evidence package'

/** The package that a member is shown. */
export function packageFor(
  by: MemberActor,
  packageId: string,
): Query<EvidencePackage, 'not_found'> {
  return mapped(keptPackage(by.tenantId, packageId), (row) =>
    row && isShownTo(by, row) ? row : new Refused('not_found', noPackage),
  )
}

/** Whether a member is shown a package, or that it expired. */
export function isShownTo(
  { role }: MemberActor,
  { forAdmins }: Pick<EvidencePackage, 'forAdmins'>,
): boolean {
  return forAdmins === 0 || role === 'CustomerAdmin'
}

/** The package; null where there is none, and for one that an erasure removes. */
export function keptPackage(tenantId: string, packageId: string): Query<EvidencePackage | null> {
  const found = { found: evidencePackages.get(tenantId, packageId), erasing: erasingOf(tenantId) }
  return mapped(together(found), ({ found, erasing }) =>
    found && !erasing.endsPackage(found.row.applicationIds) ? found.row : null,
  )
}

function erasingOf(tenantId: string) {
  return queryOf([marksOf(tenantId)], ([found]) => erasingIn(found))
}
