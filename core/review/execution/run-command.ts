import { stillActive } from '../../applications/load.ts'
import type { Check, Put } from '../../base/ports/store.ts'
import { type Actor, tenantOf } from '../../kernel/callers/actor.ts'
import { authorize, type Right } from '../../kernel/callers/authorize.ts'
import { type Errors, refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { ok, type Refusal, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { ReviewDeps } from '../deps.ts'
import { withoutContent } from '../erase-case.ts'
import type { CaseCommand } from '../machine/command.ts'
import { decide } from '../machine/machine.ts'
import { caseCallbackView, caseView } from '../present-case.ts'
import type { ReviewCase } from '../records.ts'
import type { CaseCallbackView, CaseView, SeenVersion } from '../view.ts'
import { changesOf } from './change-set.ts'
import { type LoadedCase, loadCase } from './load-case.ts'
import { contextOf, type Scene, sceneFrom, sceneOf } from './scene.ts'
import { applicationCheck } from './standing.ts'

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

/** Runs a command on a case, and answers with the case after it. */
export async function act(ports: ReviewDeps, asked: Act): Promise<Result<CaseView>> {
  const done = await run(ports, asked)
  return done.ok ? ok(caseView(done.value.review, done.value.actor, ports)) : done
}

/** As `act`; an actor who may not read the case is answered with its callback alone. */
export async function actOnCallback(
  ports: ReviewDeps,
  asked: Act,
): Promise<Result<CaseView | CaseCallbackView>> {
  const done = await run(ports, asked)
  if (!done.ok) return done
  const { review, actor } = done.value
  const reads = authorize(actor, 'readCases').ok
  return ok(reads ? caseView(review, actor, ports) : caseCallbackView(review))
}

interface Done {
  readonly review: ReviewCase
  /** By current rows. */
  readonly actor: Actor
}

/** Runs a command on a case: load, authorize, decide, commit. */
async function run(ports: ReviewDeps, asked: Act): Promise<Result<Done>> {
  if (!asked.who.ok) return asked.who
  const actor = asked.who.value
  return ports.ledger.execute<Done>(tenantOf(actor), (unit) => plan(ports, asked, actor, unit))
}

async function plan(
  ports: ReviewDeps,
  asked: Act,
  by: Actor,
  unit: UnitOfWork,
): Promise<Plan<Done>> {
  const loaded = await loadCase(unit, by, asked.right, asked.reviewCaseId)
  if (!loaded.ok) return refusal(loaded)
  const { was, surroundings, actor, isErased } = loaded.value
  const shown = (review: ReviewCase) => (isErased ? withoutContent(review) : review)
  const scene = surroundings
    ? sceneFrom(unit, surroundings.routed, surroundings.applied)
    : await sceneOf(unit, was.row.tenantId, was.row.applicationId)
  const admitted = admit(actor, scene, was.row)
  if (!admitted.ok) return refusal(admitted)
  const malformed = refuseErrors(asked.errors ?? [])
  if (malformed) return refusal(malformed)
  // The erasure cancels it, and takes its texts in the same commit.
  if (isErased && was.row.state === 'open') return refusal({ refusal: noLongerOpen })
  const made = await asked.prepare(loaded.value, scene)
  if ('ok' in made && !made.ok) return refusal(made)
  const { command, checks = [], puts = [] } = 'ok' in made ? made.value : made

  const decided = decide(was.row, command, contextOf(actor, scene, asked.seen))
  if (decided.kind === 'same') return answer({ review: shown(was.row), actor })
  if (decided.kind === 'refused')
    return {
      kind: 'refuse',
      refusal: withCase(decided.refusal, caseView(shown(was.row), actor, ports)),
      ...(decided.moved ? { set: changesOf(ports, scene, was, decided.moved, actor) } : {}),
    }
  const changes = changesOf(ports, scene, was, decided, actor)
  return commit(
    {
      ...changes,
      puts: [...changes.puts, ...puts],
      checks: [...changes.checks, ...loaded.value.checks, ...admitted.value, ...checks],
    },
    { review: shown(decided.case), actor },
  )
}

const noLongerOpen = refuse('invalid_transition', 'the case is cancelled, expected open').refusal

/**
 * Refuses a member's command on a case of an application that is being deleted; the checks that it is still active at
 * the commit. An application is judged with its standing, and the service itself acts on.
 */
function admit(
  actor: Actor,
  { application }: Scene,
  { tenantId, applicationId }: ReviewCase,
): Result<readonly Check[]> {
  if (actor.kind !== 'member' || !application) return ok([])
  const active = stillActive(application)
  return active.ok ? ok([applicationCheck(tenantId, applicationId, application.version)]) : active
}

/** A version conflict brings the current case. */
function withCase(refused: Refusal, current: CaseView): Refusal {
  return refused.code === 'version_conflict' ? { ...refused, facts: { case: current } } : refused
}
