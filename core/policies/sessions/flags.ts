import { ofOneSession } from '../../content/view.ts'
import { one } from '../../kernel/ledger/reads.ts'
import { object } from '../../kernel/members.ts'
import { command, list } from '../../kernel/operation.ts'
import { queryOf } from '../../kernel/query.ts'
import { headOf } from '../events.ts'
import { raiseFlag } from '../flags/raise-flag.ts'
import {
  type FlagView,
  flagDefinition,
  flagView,
  openFlagOf,
  type SessionFlag,
  sessionFlags,
  shownFlag,
} from '../flags/records.ts'
import { flagTexts, shownMarks } from './mark-texts.ts'
import {
  type MarkedSession,
  markRefusals,
  marksOnSession,
  noteMark,
  sessionToMark,
} from './marking.ts'

const flagged = object(shownFlag, 'Flag')

/** A session's flags, the latest first. */
export const listFlags = list({
  name: 'flags.list',
  doc: 'List the flags of a session',
  right: 'readSessions',
  filter: ofOneSession,
  items: 'flags',
  item: flagged,
  refuses: ['not_found', 'ambiguous_session'],
  source: (lookup, named) => marksOnSession(lookup, named, flagTexts, flagView),
})

/** Raises a flag and emits its event. Where a flag of that kind by a member is open, returns that one instead. */
export const flagSession = command({
  name: 'flags.raise',
  doc: 'Flag a session; an open flag of its kind is returned',
  right: 'markSessions',
  takes: { ...ofOneSession, ...flagDefinition },
  gives: flagged,
  refuses: markRefusals,
  async run(unit, { flag, severity, note, ...named }) {
    const marked = await sessionToMark(unit, named)
    const { key, scene, session } = marked
    const { open } = await unit.ask({
      open: queryOf([openFlagOf(key, flag, 'member')], ([found]) => one(sessionFlags, found)),
    })
    if (open) return storedView(marked, open.row)
    const raised = raiseFlag(
      key,
      { flag, source: 'member', severity, note, raisedBy: unit.by.memberId },
      { flagId: unit.id('flag'), head: headOf(scene, key.tenantId) },
    )
    unit.include({ puts: [raised.put] })
    unit.emit(raised.event)
    noteMark(unit, marked, {
      change: { openFlags: session.row.openFlags + 1 },
      action: 'session.flag_raised',
      subject: raised.row.flagId,
    })
    return flagView(raised.row)
  },
})

/** Clears a flag of any source; idempotent. */
export const clearFlag = command({
  name: 'flags.clear',
  doc: 'Clear a flag',
  right: 'markSessions',
  takes: { ...ofOneSession, flagId: shownFlag.flagId },
  gives: flagged,
  refuses: markRefusals,
  async run(unit, { flagId, ...named }) {
    const marked = await sessionToMark(unit, named)
    const { tenantId, applicationId, sessionId } = marked.key
    const { was } = await unit.ask({
      was: sessionFlags.get(tenantId, applicationId, sessionId, flagId),
    })
    if (!was) return unit.refuse('not_found', 'no such flag')
    if (was.row.state === 'cleared') return storedView(marked, was.row)
    const cleared = { clearedBy: unit.by.memberId, clearedAt: marked.scene.at }
    const row = { ...was.row, state: 'cleared', ...cleared } as const
    unit.put(sessionFlags, row, was)
    noteMark(unit, marked, {
      change: { openFlags: Math.max(0, marked.session.row.openFlags - 1) },
      action: 'session.flag_cleared',
      subject: flagId,
    })
    return storedView(marked, row)
  },
})

/** Flags (interface, Portal host). */
export const flagOperations = [listFlags, flagSession, clearFlag] as const

/** The view of a stored flag; without its note while the data subject is being erased. */
async function storedView({ scene, erasing }: MarkedSession, row: SessionFlag): Promise<FlagView> {
  const [shown = row] = await shownMarks(scene.unit, flagTexts, erasing, [row])
  return flagView(shown)
}
