import type { Ledger } from '../kernel/ledger/ledger.ts'
import type { Post } from '../kernel/mail/post.ts'
import type { Owing } from '../kernel/work/handler.ts'
import { createKernelPorts } from '../kernel-ports.ts'
import { noIntake } from '../outbox/kind.ts'

/** What due work owes events and mails by, without a dispatcher; no mails unless `post` is given. */
export function owingOn(ledger: Ledger, post: Post = { sends: false, owe: () => [] }): Owing {
  return createKernelPorts({ ledger, intake: noIntake, post })
}
