import type { Actor } from '../access/actor.ts'
import type { Page, PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type { ChannelInput, ChannelTestView, ChannelView } from './view.ts'

/** Chat channels: pre-formatted messages about events. Each may refuse as `Service` says besides. */
export interface ChannelUseCases {
  /** Chat channels, the oldest first. Refuses with `invalid_request`. */
  list(actor: Actor, query: PageQuery): Promise<Result<Page<ChannelView>>>
  /** A chat channel. Refuses with `not_found`. */
  read(actor: Actor, channelId: string): Promise<Result<ChannelView>>
  /**
   * Creates a chat channel, which hears of events at once. Refuses with `invalid_request`, `invalid_url`,
   * `refused_address`, `plan_required`, `channel_limit`.
   */
  create(actor: Actor, input: ChannelInput): Promise<Result<ChannelView>>
  /**
   * Replaces what is given; absent members keep. A saved URL turns a channel on again that answered 410. Refuses as
   * `create`, and with `not_found`; `enabled: false` alone needs no plan.
   */
  update(
    actor: Actor,
    channelId: string,
    input: Partial<Omit<ChannelInput, 'kind'>>,
  ): Promise<Result<ChannelView>>
  /** Removes a chat channel; what it was still owed is not sent. Refuses with `not_found`. */
  remove(actor: Actor, channelId: string): Promise<Result<null>>
  /**
   * Sends a sample message once the channel's tests before it have ended, and waits up to 20 s for the answer. Refuses
   * with `not_found`, `endpoint_gone`, `invalid_transition` for a channel that is not enabled, `plan_required`, `busy`
   * where 50 tests wait, and `unavailable` when it was not sent in time (`facts.written` is null: it may still go out).
   */
  test(actor: Actor, channelId: string): Promise<Result<ChannelTestView>>
}
