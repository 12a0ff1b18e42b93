import { type Actor, tenantOf } from '../../access/actor.ts'
import type { Right } from '../../access/authorize.ts'
import { type Errors, refuseErrors } from '../../ledger/input-errors.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import type { Refusal, Result } from '../../ledger/refusal.ts'
import type { Check, Put } from '../../ports/store.ts'
import type { ReviewDeps } from '../deps.ts'
import type { CaseCommand } from '../machine/command.ts'
import { decide } from '../machine/machine.ts'
import { caseView } from '../present-case.ts'
import type { ReviewCase } from '../records.ts'
import type { CaseView, SeenVersion } from '../view.ts'
import { changesOf } from './change-set.ts'
import { type LoadedCase, loadCase } from './load-case.ts'
import { contextOf, type Scene, sceneFrom, sceneOf } from './scene.ts'

/** A command with its checks and additional puts, prepared in the unit of work. */
export interface Prepared {
  readonly command: CaseCommand
  readonly checks?: readonly Check[]
  readonly puts?: readonly Put[]
}

export interface Act {
  /** The actor, or the refusal of its kind. */
  readonly who: Result<Actor>
  readonly right: Right
  readonly reviewCaseId: string
  readonly errors?: Errors
  readonly seen?: SeenVersion | undefined
  prepare(loaded: LoadedCase, scene: Scene): Prepared | Result<Prepared> | Promise<Result<Prepared>>
}

/** Runs a command on a case: load, authorize, decide, commit. */
export async function act(ports: ReviewDeps, asked: Act): Promise<Result<CaseView>> {
  if (!asked.who.ok) return asked.who
  const actor = asked.who.value
  const done = await ports.ledger.execute<ReviewCase>(tenantOf(actor), (unit) =>
    plan(ports, asked, actor, unit),
  )
  return done.ok ? { ok: true, value: caseView(done.value, actor, ports) } : done
}

async function plan(
  ports: ReviewDeps,
  asked: Act,
  actor: Actor,
  unit: UnitOfWork,
): Promise<Plan<ReviewCase>> {
  const loaded = await loadCase(unit, actor, asked.right, asked.reviewCaseId)
  if (!loaded.ok) return refusal(loaded)
  const malformed = refuseErrors(asked.errors ?? [])
  if (malformed) return refusal(malformed)
  const { was, surroundings } = loaded.value
  const scene = surroundings
    ? sceneFrom(unit, surroundings.routed, surroundings.applied)
    : await sceneOf(unit, was.row.tenantId, was.row.applicationId)
  const made = await asked.prepare(loaded.value, scene)
  if ('ok' in made && !made.ok) return refusal(made)
  const { command, checks = [], puts = [] } = 'ok' in made ? made.value : made

  const decided = decide(was.row, command, contextOf(loaded.value.actor, scene, asked.seen))
  if (decided.kind === 'same') return answer(was.row)
  if (decided.kind === 'refused')
    return {
      kind: 'refuse',
      refusal: withCase(decided.refusal, caseView(was.row, actor, ports)),
      ...(decided.moved ? { set: changesOf(ports, scene, was, decided.moved, actor) } : {}),
    }
  const changes = changesOf(ports, scene, was, decided, actor)
  return commit(
    {
      ...changes,
      puts: [...changes.puts, ...puts],
      checks: [...changes.checks, ...loaded.value.checks, ...checks],
    },
    decided.case,
  )
}

/** A version conflict brings the current case. */
function withCase(refused: Refusal, current: CaseView): Refusal {
  return refused.code === 'version_conflict' ? { ...refused, facts: { case: current } } : refused
}
