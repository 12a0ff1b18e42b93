import { applicationActs, type Command, keyActs } from '../plan.ts'
import { actOnAlerts } from './alert-acts.ts'
import { actOnApplication } from './application-acts.ts'
import { act, open } from './case-acts.ts'
import { actOnHook, createHook, createLegacyHook, setCallback } from './hook-acts.ts'
import { actOnKeys } from './key-acts.ts'
import { actOnMembers } from './member-acts.ts'
import { actOnSession, sendSpans, submitBatch } from './session-acts.ts'
import type { Stage } from './stage.ts'

/** Plays one command of a plan. */
export function perform(stage: Stage, command: Command): Promise<void> {
  switch (command.kind) {
    case 'open':
      return open(stage, command)
    case 'hook_create':
      return createHook(stage, command)
    case 'set_callback':
      return setCallback(stage, command)
    case 'legacy_hook':
      return createLegacyHook(stage, command)
    case 'spans':
      return sendSpans(stage, command)
    case 'submit':
      return submitBatch(stage, command)
    default:
      return performAct(stage, command)
  }
}

type Performed = 'open' | 'hook_create' | 'set_callback' | 'legacy_hook' | 'spans' | 'submit'

/** Acts of one kind have a list of their names. */
function performAct(stage: Stage, command: Exclude<Command, { kind: Performed }>): Promise<void> {
  if ('session' in command) return actOnSession(stage, command)
  if ('member' in command) return actOnMembers(stage, command)
  if ('slot' in command) return act(stage, command)
  if ('hook' in command) return actOnHook(stage, command)
  if (isOneOf(applicationActs, command)) return actOnApplication(stage, command)
  return isOneOf(keyActs, command) ? actOnKeys(stage, command) : actOnAlerts(stage, command)
}

function isOneOf<K extends Command['kind']>(
  kinds: readonly K[],
  command: Command,
): command is Extract<Command, { kind: K }> {
  return kinds.some((kind) => kind === command.kind)
}
