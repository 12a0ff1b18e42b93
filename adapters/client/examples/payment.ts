import * as z from 'zod'

/** What the examples would do: a transfer that a person should see first. */
export const payment = z.object({
  orderId: z.string(),
  to: z.string(),
  amount: z.number(),
})

export type Payment = z.infer<typeof payment>

/** Carries a payment out. */
export type Pay = (payment: Payment) => Promise<string>
