import { memberIdOf } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { line, type Shape } from '../../kernel/shape.ts'
import { shownBy } from '../../kernel/wrap.ts'

/** The name of an actor that only ever is a member; callers get the member's id. */
export const memberName: Shape<string> = shownBy(line(longest.id), memberIdOf)
