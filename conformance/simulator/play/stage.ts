import type { CaseView } from '@countersign/core'
import type { ReviewCase } from '@countersign/core/internal'
import type { Truth } from '../truth.ts'
import type { World } from '../world.ts'
import type { Cast } from './cast.ts'
import type { Client } from './client.ts'
import type { OrganizationMemory } from './organization-memory.ts'

/** A step that was sent, as the sender remembers it. */
export interface SentStep {
  /** Empty for a span. */
  readonly scope: string
  readonly stepId: string
  /** What its content must read as. */
  readonly input: string
}

/** Deletions of applications that were ever asked for, or taken back. */
export interface Deletions {
  readonly asked: ReadonlySet<string>
  readonly cancelled: ReadonlySet<string>
}

/** What commands work with, and what they remember of one another. */
export interface Stage {
  readonly world: World
  readonly truth: Truth
  readonly cast: Cast
  readonly client: Client
  /** The case of each slot, once some open was answered. */
  readonly cases: Map<number, string>
  /** Cases that retention removed, as they stood then. */
  readonly gone: ReadonlyMap<string, ReviewCase>
  /** Webhooks that some create was answered with. */
  readonly hooks: string[]
  /** The latest time that a commit gave each webhook; clocks differ, so that its last commit may have given less. */
  readonly hooksWritten: ReadonlyMap<string, number>
  /** Answers that showed a case: what they told must stay so. */
  readonly shown: CaseView[]
  /** What each idempotency key stood for, and led to. */
  readonly keys: Map<string, { readonly stepId: string | null; readonly id: string }>
  urls: number
  /** Steps that were told taken, by the key of their row. */
  readonly sent: Map<string, SentStep & { readonly applicationId: string }>
  /** Steps and sessions that retention removed, by the keys of their rows. */
  readonly goneSteps: ReadonlySet<string>
  readonly deletions: Deletions
  /** Alert rules and customer keys that were ever committed. */
  readonly rules: ReadonlySet<string>
  readonly issued: ReadonlySet<string>
  readonly memory: OrganizationMemory
}

/** Planted in every text that must stay out of events. */
export const canary = 'CANARY'
