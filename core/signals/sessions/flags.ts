import { checkText } from '../../ledger/check-text.ts'
import { checkOneOf } from '../../ledger/input-errors.ts'
import { isoTime, isoTimeOrNull } from '../../ledger/iso-time.ts'
import { answer, commit, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import { longest } from '../../ledger/limits.ts'
import { get, one, put } from '../../ledger/reads.ts'
import { refuse } from '../../ledger/refusal.ts'
import type { Found } from '../../ports/store.ts'
import { marksOf } from '../../sessions/erasure-marks.ts'
import type { SignalDeps } from '../deps.ts'
import { headOf } from '../events.ts'
import { raiseFlag } from '../flags/raise-flag.ts'
import { flagKinds, openFlagOf, type SessionFlag, sessionFlags } from '../flags/records.ts'
import { severities } from '../policy/shapes.ts'
import type { SignalUseCases } from '../use-cases.ts'
import type { FlagView } from '../view.ts'
import { executeOnSession, partOfSession } from './execute-on-session.ts'
import { flagTexts, shownMarks } from './mark-texts.ts'

export function listFlags(deps: SignalDeps): SignalUseCases['listFlags'] {
  return (actor, sessionId, query, of = {}) =>
    partOfSession(deps, { actor, sessionId, of, query }, flagTexts, flagView)
}

export function raiseMemberFlag(deps: SignalDeps): SignalUseCases['raiseFlag'] {
  return (actor, sessionId, { flag, severity = 'warning', note = null }, of = {}) => {
    const errors = [
      ...checkOneOf(flag, flagKinds, '/flag'),
      ...checkOneOf(severity, severities, '/severity'),
      ...checkText(note, '/note', longest.note),
    ]
    return executeOnSession(deps, { actor, sessionId, of, errors }, async (loaded) => {
      const { unit, key, scene, member, session } = loaded
      const [found, marked] = await unit.read([
        openFlagOf(key, flag, 'member'),
        marksOf(key.tenantId),
      ])
      const open = one(sessionFlags, found)
      if (open) return answer(await shownFlag(unit, marked, open.row))
      const raised = raiseFlag(
        key,
        { flag, source: 'member', severity, note, raisedBy: member.memberId },
        { flagId: unit.id('flag'), head: headOf(scene, key.tenantId) },
      )
      const changes = loaded.changes({
        puts: [raised.put],
        events: [raised.event],
        session: { openFlags: session.row.openFlags + 1 },
        action: 'session.flag_raised',
        subject: raised.row.flagId,
      })
      return commit(changes, flagView(raised.row))
    })
  }
}

export function clearFlag(deps: SignalDeps): SignalUseCases['clearFlag'] {
  return (actor, sessionId, flagId, of = {}) =>
    executeOnSession(deps, { actor, sessionId, of }, async (loaded) => {
      const { unit, key, scene, member, session } = loaded
      const [found, marked] = await unit.read([
        get(sessionFlags, [key.tenantId, key.applicationId, key.sessionId, flagId]),
        marksOf(key.tenantId),
      ])
      const was = one(sessionFlags, found)
      if (!was) return refusal(refuse('not_found', 'no such flag'))
      if (was.row.state === 'cleared') return answer(await shownFlag(unit, marked, was.row))
      const row: SessionFlag = {
        ...was.row,
        state: 'cleared',
        clearedBy: member.memberId,
        clearedAt: scene.at,
      }
      const changes = loaded.changes({
        puts: [put(sessionFlags, row, was)],
        session: { openFlags: Math.max(0, session.row.openFlags - 1) },
        action: 'session.flag_cleared',
        subject: flagId,
      })
      return commit(changes, await shownFlag(unit, marked, row))
    })
}

async function shownFlag(
  unit: UnitOfWork,
  marked: Found | undefined,
  row: SessionFlag,
): Promise<FlagView> {
  const [shown = row] = await shownMarks(unit, flagTexts, marked, [row])
  return flagView(shown)
}

/** A flag as it is told. */
export function flagView(row: SessionFlag): FlagView {
  const { flagId, flag, severity, note, source, raisedBy, raisedAt, clearedBy, clearedAt } = row
  return {
    ...{ flagId, flag, severity, note, source, raisedBy },
    raisedAt: isoTime(raisedAt),
    clearedBy,
    clearedAt: isoTimeOrNull(clearedAt),
  }
}
