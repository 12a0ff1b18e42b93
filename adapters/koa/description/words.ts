/**
 * What readers are told of operations and events that no declaration has, in the words of core/docs/interface.md, whose
 * tables are made of them.
 */
export interface Words {
  /** What an operation answers with, by host and name; without one it is called by the title of its answer. */
  readonly answers: Readonly<Record<string, string>>
  /** What is to be known of a body beside its members. */
  readonly takes: Readonly<Record<string, string>>
  /** When each event is sent; `row 1` is of the transition table. */
  readonly occasions: Readonly<Record<string, string>>
}
