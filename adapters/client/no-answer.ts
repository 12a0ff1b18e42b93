import { ApiError } from './errors.ts'

/** The error of a request that got no answer; its message ends with the code and the text of what `fetch` met. */
export function noAnswer(error: unknown): ApiError {
  const links = [...chainOf(error)]
  const parts = links.flatMap(({ message, code }) => [message, code])
  if (links.some(isUntrusted)) parts.push(untrustedHelp)
  const text = [...new Set(parts)].filter(Boolean).join(': ') || String(error)
  return new ApiError('no_answer', text, { cause: error, lasting: links.some(isLasting) })
}

const untrustedHelp = 'to trust its authority, start Node with NODE_EXTRA_CA_CERTS=<file>'

interface Link {
  readonly code: string | undefined
  readonly message: string
}

/**
 * What `fetch` threw and its causes, outermost first; runtimes nest them differently, and Node joins those of several
 * addresses.
 */
function* chainOf(error: unknown): Generator<Link> {
  for (let link = error, depth = 0; link instanceof Error && depth < 8; depth++) {
    const { code } = link as { readonly code?: unknown }
    yield { code: typeof code === 'string' ? code : undefined, message: link.message }
    link = link.cause ?? (link instanceof AggregateError ? link.errors[0] : undefined)
  }
}

/** Codes of OpenSSL's verification as Node and Bun report them, and Deno's text of rustls. */
const certificateCode =
  /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$/
const certificateText = /invalid peer certificate/

/** The issuer is unknown, which another list of authorities mends. */
const untrustedCode = /SELF_SIGNED|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/
const untrustedText = /invalid peer certificate: UnknownIssuer/

/** Deno has no code; a resolver that is away says "Temporary failure", or EAI_AGAIN, and may answer the next time. */
const nameText = /failed to lookup address information: (?!Temporary)/

/** Whether another try meets the same: the name is unknown, or the certificate refused. */
function isLasting({ code = '', message }: Link): boolean {
  if (code === 'ENOTFOUND' || certificateCode.test(code)) return true
  return certificateText.test(message) || nameText.test(message)
}

function isUntrusted({ code = '', message }: Link): boolean {
  return untrustedCode.test(code) || untrustedText.test(message)
}
