import { isObject } from '../../base/events/shape.ts'
import { checkLists, isSame } from './compare.ts'
import { createReport, type Finding, type Report } from './finding.ts'
import { applicationOf } from './owners.ts'
import { type PackLayout, packLayouts, subjectDocuments } from './pack-layout.ts'
import { type Json, objectAt, objectsAt, textsAt } from './read.ts'

/** What a pack holds, as far as its members must agree with its manifest and with each other. */
export interface PackContents {
  /** The manifest, parsed. */
  readonly manifest: unknown
  /** Paths of all members that the manifest lists. */
  readonly paths: ReadonlySet<string>
  /** Parsed members of a subject's pack, by path; a path without a value was too large to be looked into. */
  readonly documents: ReadonlyMap<string, unknown>
  /** The last line of the audit log; null where there is none. */
  readonly lastEntry: unknown
}

/** Sessions that a report lists. */
const mostListed = 1_000
const sessionFolder = /^applications\/[^/]+\/sessions\/[^/]+\//

/**
 * Checks that a pack has every member that one of its kind and scope has, or says which was left out, that its audit log
 * ends where the manifest says, and that a subject's report counts the sessions that the subject is given.
 */
export function checkContents(contents: PackContents): readonly Finding[] {
  const report = createReport('pack')
  const { manifest, paths } = contents
  if (!isObject(manifest)) return report.all
  const scope = objectAt(manifest, 'scope') ?? {}
  checkLists(manifest, ['omitted'], report)
  const left = objectsAt(manifest, 'omitted') ?? []
  const omitted = new Set(left.map(({ path }) => path))
  // What was left out for its path stands beside the member that has it.
  const absent = new Set(left.flatMap(({ path, reason }) => (reason === 'path_taken' ? [] : path)))
  for (const path of paths)
    if (absent.has(path))
      report.on(path).failed('manifest', 'It is there, and said to be left out.')
  const ids = textsAt(scope, 'applicationIds')
  if (ids === null) report.failed('manifest', 'Expected the applications of its scope.')
  const { packType } = manifest
  const layout = packLayouts.get(packType)
  if (layout) checkPlaces(layout, { ids: ids ?? [], paths, omitted }, report)
  else report.failed('manifest', 'Expected a package of a known kind.')
  if (packType === 'auditor') checkLogEnd(scope, contents.lastEntry, report)
  if (packType === 'subject') checkSubject(manifest, scope, contents.documents, report)
  return report.all
}

/** Checks that each file is one that a pack of its kind has, and that the pack has all that one has. */
function checkPlaces(
  { files, ofApplication, ofSession, others }: PackLayout,
  {
    ids,
    paths,
    omitted,
  }: {
    readonly ids: readonly string[]
    readonly paths: ReadonlySet<string>
    readonly omitted: ReadonlySet<unknown>
  },
  report: Report,
): void {
  for (const id of new Set([...paths].map(applicationOf)))
    if (id !== null && !ids.includes(id))
      report.on(`applications/${id}`).failed('manifest', 'It is of no application of the scope.')
  const sessions = [...new Set([...paths].flatMap((path) => sessionFolder.exec(path) ?? []))]
  const applications = ids.map((id) => ofApplication.map((file) => `applications/${id}/${file}`))
  const inSessions = (names: readonly string[]) =>
    sessions.flatMap((session) => names.map((name) => session + name))
  const expected = [...files, ...applications.flat(), ...inSessions(ofSession.slice(0, 1))]
  for (const path of expected)
    if (!paths.has(path) && !omitted.has(path)) report.on(path).failed('manifest', 'It is missing.')
  const usual = new Set([...expected, ...inSessions(ofSession)])
  for (const path of paths)
    if (!usual.has(path) && !others.test(path))
      report
        .on(path)
        .unchecked('manifest', 'No pack of its kind has it: nothing was compared with it.')
  const at = new Map([...paths].map((path, place) => [path, place]))
  for (const [number, lists] of applications.entries()) {
    const places = [...lists, 'anchors.jsonl'].flatMap((path) => at.get(path) ?? [])
    if (places.some((place, before) => place < (places[before - 1] ?? 0)))
      report
        .on(`applications/${ids[number]}`)
        .failed('manifest', 'Its files stand in another order.')
  }
}

function checkLogEnd(scope: Json, lastEntry: unknown, report: Report): void {
  const named = objectAt(scope, 'auditLog') ?? {}
  const last = isObject(lastEntry) ? lastEntry : { position: 0, hash: null }
  if (!isSame(named.position, last.position) || !isSame(named.hash, last.hash))
    report.on('audit-log.jsonl').failed('manifest', 'It does not end where the manifest says.')
}

function checkSubject(
  { tenantId }: Json,
  { dataSubjectId }: Json,
  documents: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  // A missing one has its finding already.
  if (documents.size < subjectDocuments.size) return
  const both = [...subjectDocuments].map((path) => documents.get(path))
  if (both.includes(undefined)) {
    report.unchecked('manifest', 'It is too large to be compared.')
    return
  }
  const [accessReport, portable] = both
  const listed = isObject(accessReport) ? objectsAt(accessReport, 'sessions') : null
  const given = isObject(portable) ? objectsAt(portable, 'sessions') : null
  const isOfBoth = both.every(
    (each) =>
      isObject(each) &&
      isSame(each.tenantId, tenantId) &&
      isSame(each.dataSubjectId, dataSubjectId),
  )
  const isCounted =
    isObject(accessReport) &&
    listed !== null &&
    given !== null &&
    accessReport.sessionCount === given.length &&
    listed.length === Math.min(given.length, mostListed) &&
    listed.every((told, at) => isCountOf(told, given[at] ?? {}))
  if (!isOfBoth || !isCounted)
    report.failed('manifest', 'Its report is not of its person, sessions and steps.')
}

function isCountOf({ sessionId, stepCount }: Json, { session, steps }: Json): boolean {
  const given = isObject(session) ? session.sessionId : null
  return isSame(sessionId, given) && Array.isArray(steps) && stepCount === steps.length
}
