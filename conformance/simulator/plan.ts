/** How an endpoint answers. */
export const modes = [
  'well',
  'error',
  'busy',
  'gone',
  'redirect',
  'slow',
  'in_time',
  'refused',
  'no_echo',
  'stores_then_fails',
] as const
export type Mode = (typeof modes)[number]

/** What people and applications ask of the service; `draw` seeds whatever the command itself leaves to chance. */
export type Command = { readonly at: number; readonly draw: number } & (
  | {
      readonly kind: 'open'
      readonly slot: number
      readonly dueIn: number | null
      readonly expiresIn: number | null
      /** Asks again under the key of its slot: for the same, or for something else. */
      readonly again: 'no' | 'same' | 'other'
    }
  | { readonly kind: CaseAct; readonly slot: number }
  | { readonly kind: 'set_callback'; readonly app: number; readonly enabled: boolean }
  | { readonly kind: 'hook_create'; readonly all: boolean; readonly shared: boolean }
  | { readonly kind: HookAct; readonly hook: number }
  | {
      readonly kind: 'spans'
      readonly session: number
      /** Whether the spans name their session, or their trace alone. */
      readonly named: boolean
      readonly root: boolean
      /** Sends the same once more. */
      readonly again: boolean
    }
  | {
      readonly kind: 'submit'
      readonly session: number
      /** Under the id of the session's first batch: the same, or something else. */
      readonly again: 'no' | 'same' | 'other'
    }
  | { readonly kind: SessionAct; readonly session: number }
  | {
      /** A webhook that selects events of the legacy and the platform family alone. */
      readonly kind: 'legacy_hook'
      readonly types: readonly string[]
      readonly secret: boolean
    }
  | { readonly kind: ApplicationAct; readonly app: number }
  /** Of one application, or of the organization for null. */
  | { readonly kind: AlertAct; readonly app: number | null }
  | { readonly kind: KeyAct; readonly app: number }
  /** In the other organization. */
  | { readonly kind: MemberAct; readonly member: number }
)

export const caseActs = [
  'claim',
  'reassign',
  'follow_up',
  'answer',
  'decide',
  'cancel',
  'continuation',
  'replay_callback',
  'pry',
] as const
export type CaseAct = (typeof caseActs)[number]

export const hookActs = [
  'hook_off',
  'hook_on',
  'hook_url',
  'hook_types',
  'hook_method',
  'hook_rotate',
  'hook_verify',
  'hook_test',
  'hook_remove',
  'hook_replay',
  'hook_recover',
  'hook_read',
  'keys_rotate',
] as const
export type HookAct = (typeof hookActs)[number]

export const sessionActs = [
  'set_rules',
  'mark',
  'erase',
  'reject_erasure',
  'hold',
  'release',
  'read_session',
  'pry_session',
] as const
export type SessionAct = (typeof sessionActs)[number]

export const applicationActs = ['promote', 'delete_app', 'cancel_deletion', 'requeue'] as const
export type ApplicationAct = (typeof applicationActs)[number]

export const alertActs = ['alert_create', 'alert_update', 'alert_remove'] as const
export type AlertAct = (typeof alertActs)[number]

export const keyActs = [
  'key_issue',
  'key_revoke',
  'key_use',
  'key_ask',
  'key_step',
  'key_reveal',
  'evidence_rotate',
] as const
export type KeyAct = (typeof keyActs)[number]

export const memberActs = [
  'invite',
  'resend',
  'withdraw',
  'accept',
  'deactivate',
  'reactivate',
  'set_role',
  'login',
  'use_session',
] as const
export type MemberAct = (typeof memberActs)[number]

/** What befalls machines and endpoints at a given moment. */
export type Disturbance = { readonly at: number } & (
  | { readonly kind: 'crash'; readonly machine: number }
  /** The process is drained, as for a deployment, and ends. */
  | { readonly kind: 'drain'; readonly machine: number }
  | { readonly kind: 'jump'; readonly machine: number | 'all'; readonly by: number }
  | { readonly kind: 'mode'; readonly host: number; readonly mode: Mode }
)

/** Probabilities, each of one event at one operation. */
export interface Rates {
  readonly crash: number
  readonly storeError: number
  readonly storeErrorAfter: number
  readonly stall: number
  readonly dropRequest: number
  readonly dropAnswer: number
  readonly duplicate: number
  readonly delay: number
  readonly forget: number
}

export type Rate = keyof Rates

export const calm: Rates = {
  crash: 0,
  storeError: 0,
  storeErrorAfter: 0,
  stall: 0,
  dropRequest: 0,
  dropAnswer: 0,
  duplicate: 0,
  delay: 0,
  forget: 0,
}

/** A whole simulation as plain data: the same plan runs the same way, and a smaller one is still a plan. */
export interface Plan {
  readonly seed: number
  readonly machines: number
  /** Ms of the safety phase. */
  readonly span: number
  /** How often processes look for work that others made, ms. */
  readonly pollMs: number
  /** How much of the dispatcher there is: small caps meet each other sooner. */
  readonly slots: number
  /** Whether the owner turns everything on again once the faults are over. */
  readonly mends: boolean
  /** From the request of an application's deletion to its purge. */
  readonly graceMs: number
  /** Whether time goes on once everything has come to rest, past the retention of sessions. */
  readonly ages: boolean
  readonly commands: readonly Command[]
  readonly disturbances: readonly Disturbance[]
  readonly rates: Rates
  /** Crash the process that reaches the k-th storage point, counted from 1. */
  readonly crashAt: readonly number[]
}

/** Places that endpoints are at, and applications. */
export const hosts = 4
export const apps = 2
