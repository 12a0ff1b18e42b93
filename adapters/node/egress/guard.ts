import type { EgressGuard } from '@countersign/core/ports'
import { checkHost } from './check-host.ts'
import { createEgressPolicy, type EgressPolicyOptions } from './policy.ts'
import { dnsResolver, type ResolveName } from './resolve-name.ts'

/** Where deliveries may go, and how names are resolved. */
export interface EgressOptions extends EgressPolicyOptions {
  /** `dnsResolver()` unless given. */
  readonly resolve?: ResolveName
}

/** Checks whether a URL may be registered, by the rules that apply again at each attempt. */
export function egressGuard(options: EgressOptions = {}): EgressGuard {
  const policy = createEgressPolicy(options)
  const resolve = options.resolve ?? dnsResolver()
  return {
    check: async (url) => {
      const target = policy.checkUrl(url)
      if (!target.ok) return { ok: false, code: 'invalid_url', detail: target.detail }
      const host = await checkHost(target.value, policy, resolve)
      if (host.ok) return { ok: true }
      const { error: code, detail, operators } = host
      return { ok: false, code, detail, operators }
    },
  }
}
