/** What `keeper init` writes: every setting with its default, and one chain to fill in. */
export const configTemplate = `# Settings of the Dueday keeper. Check them with: keeper config check
# Every value can also come from the environment (names: docs/keeper.md) or, where it has one, from a flag. Flags win.

# Who plans: an API, or your own node.
api = "http://127.0.0.1:3000"
# direct = true                  # instead of api
# api_key = "..."                # raises the limits of the API; better in KEEPER_API_KEY

# interval_seconds = 300         # between two polls of the plan
# window_seconds = 5             # longest random pause before a backlog, so that keepers do not all act at once
# replace_after_seconds = 30     # replace a transaction that was not mined within this time, with the same nonce
# log = "json"                   # or "pretty"; default: pretty on a terminal

[key]                            # one of: KEEPER_PRIVATE_KEY in the environment, file, keystore
# file = "/etc/dueday-keeper/key"                 # mode 600
keystore = "/etc/dueday-keeper/keystore.json"     # of geth or cast, mode 600
password_file = "/etc/dueday-keeper/password"     # mode 600

[metrics]
# port = 9465                    # serves /metrics and /health
# host = "127.0.0.1"

[notify]
# urls = ["https://hooks.slack.com/services/..."] # also Discord, Telegram, or any URL that takes JSON
# gas_days = 7                   # warn when the balance lasts for fewer days of gas

[chains.8453]                    # Base
rpc_urls = ["https://mainnet.base.org"]           # your own nodes, in the order in which they are asked
# contract = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f"
# max_gas_price_gwei = "50"      # send nothing while gas costs more, and sign no higher price
# max_loss_eth_per_day = "0.001" # send nothing where more could be lost in 24 hours; default: five transactions
# min_profit_eth = "0.0001"      # send only what earns this in sum, net of gas; needs prices

[chains.8453.prices]             # of one whole token: wei, a Chainlink feed on the chain, or JSON from a URL
# "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" = "400000000000000"
# "0x..." = { feed = "0x...", eth_feed = "0x...", max_age_seconds = 90000 }
# "0x..." = { url = "https://...", field = "data.wei", min_wei = "300000000000000", max_wei = "600000000000000" }
`;
