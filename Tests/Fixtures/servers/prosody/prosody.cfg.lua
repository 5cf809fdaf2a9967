-- The throw-away server of throwaway.py, for Prosody 0.12 (Debian 12) and 13.0 (Debian 13).
-- Everything that varies comes from the environment: XP_ROOT (its folder), XP_BASE (first of six ports).
local root = ENV_XP_ROOT
local base = ENV_XP_BASE + 0

-- foreground mode comes from "prosody -F"; the fixture owns the process
pidfile   = root .. "/prosody.pid"
data_path = root .. "/data"
plugin_paths = { root .. "/modules" }   -- our own test modules; never /etc or /usr/local
installer_plugin_path = root .. "/installed"
certificates = root .. "/certs"
log = { { levels = { min = ENV_XP_LOG or "info" }, to = "file", filename = root .. "/prosody.log" } }
statistics = "internal"

interfaces = { "127.0.0.1", "::1" }
local_interfaces = { "127.0.0.1", "::1" }
c2s_ports = { base + 0 }                -- STARTTLS
c2s_direct_tls_ports = { base + 1 }     -- XEP-0368
http_ports = { base + 2 }
https_ports = { base + 3 }
s2s_ports = { }                         -- no federation
s2s_direct_tls_ports = { }
proxy65_ports = { base + 4 }
component_ports = { base + 5 }          -- XEP-0114, for puppet senders

c2s_require_encryption = true
allow_unencrypted_plain_auth = false
-- internal_plain offers PLAIN + SCRAM-SHA-1 + SCRAM-SHA-256; internal_hashed keeps keys of ONE hash
-- and so offers only the SCRAM of password_hash ("SHA-1" default, or "SHA-256")
authentication = ENV_XP_AUTH or "internal_plain"
password_hash = ENV_XP_HASH or "SHA-256"
tls_server_end_point_hash = ENV_XP_ENDP -- 13.0 only. "auto" is broken in 13.0.1: offered to the first stream only
test_end_point_hash = ENV_XP_ENDP       -- for our mod_test_cb (0.12; XP_EXTRA="test_cb")
disable_sasl_mechanisms = { "DIGEST-MD5", ENV_XP_NOPLAIN == "1" and "PLAIN" or nil }
allow_registration = true               -- XEP-0077 in-band
min_seconds_between_registrations = nil
ssl = {
	certificate = root .. "/certs/xmpp.test.crt";
	key = root .. "/certs/xmpp.test.key";
	protocol = ENV_XP_TLS or "tlsv1_2+"; -- "tlsv1_2" pins TLS 1.2 => tls-unique, -PLUS on 0.12
}

-- accounts stay in files, where the fixture writes them; only archives go to SQL
storage = { archive = ENV_XP_STORAGE or "internal", muc_log = ENV_XP_STORAGE or "internal" }
sql = { driver = "SQLite3", database = root .. "/data/prosody.sqlite" }
storage_archive_item_limit = 1000000    -- file storage caps an archive at 10 000 by default and then drops the oldest
default_archive_policy = true           -- "always"
archive_expires_after = "never"
max_archive_query_results = 250
dont_archive_namespaces = { "http://jabber.org/protocol/chatstates" }

smacks_hibernation_time = (ENV_XP_HIBERNATE or "300") + 0
smacks_max_unacked_stanzas = 5
c2s_timeout = 60

external_service_host = "127.0.0.1"
external_service_secret = "not-a-secret"
external_services = {
	{ type = "stun", transport = "udp", host = "127.0.0.1", port = 3478 };
	{ type = "turn", transport = "udp", host = "127.0.0.1", port = 3478, secret = true, ttl = 3600 };
	{ type = "turns", transport = "tcp", host = "127.0.0.1", port = 5349, secret = true, ttl = 3600 };
}

http_default_host = "localhost"
http_file_share_access = { "xmpp.test", "other.test" }

local mods = {                           -- config globals cannot be read back: build the list in a local
	"disco", "roster", "saslauth", "tls", "ping", "time", "uptime", "version", "lastactivity",
	"private", "blocklist", "bookmarks", "vcard4", "vcard_legacy", "pep", "offline",
	"carbons", "mam", "smacks", "csi", "csi_simple",
	"register_ibr", "user_account_management", "external_services", "server_contact_info",
	"admin_shell", "stanza_debug", "http",
}
if ENV_XP_V13 ~= "1" then mods[#mods + 1] = "posix" end -- pidfile and signals; core in 13.0
-- optional, e.g. XP_EXTRA="sasl2 sasl2_bind2 sasl2_sm sasl2_fast sasl_ssdp" (works on 13.0 only)
for m in (ENV_XP_EXTRA or ""):gmatch("%S+") do mods[#mods + 1] = m end
modules_enabled = mods
modules_disabled = { "s2s", "dialback" }
contact_info = { admin = { "xmpp:admin@xmpp.test" }, abuse = { "mailto:abuse@xmpp.test" } }
admins = { "admin@xmpp.test" }

VirtualHost "xmpp.test"
VirtualHost "other.test"                -- a second domain: cross-domain chat without s2s

Component "rooms.xmpp.test" "muc"
	modules_enabled = { "muc_mam", "muc_moderation", ENV_XP_V13 ~= "1" and "vcard_muc" or nil } -- 13.0 has room vCards built in
	restrict_room_creation = false
	muc_log_by_default = true
	muc_log_presences = false
	muc_room_default_persistent = true
	muc_room_default_public_jids = true  -- non-anonymous: OMEMO in rooms needs real JIDs

Component "upload.xmpp.test" "http_file_share"
	http_host = "localhost"             -- else the TLS handshake fails with unrecognized_name: https picks by SNI
	http_external_url = "https://localhost:" .. (base + 3) .. "/"
	http_file_share_size_limit = 50 * 1024 * 1024
	http_file_share_daily_quota = 1024 * 1024 * 1024
	http_file_share_expires_after = 24 * 3600
	http_file_share_safe_file_types = { "image/*", "video/*", "audio/*", "text/plain" }

Component "proxy.xmpp.test" "proxy65"
	proxy65_address = "127.0.0.1"
	proxy65_acl = { "xmpp.test", "other.test" }

if ENV_XP_PUPPET == "1" then            -- external component: mass senders, odd stanzas. Off by default: while it is
	Component "puppet.xmpp.test"        -- not connected it answers disco with an error, and profanity <= 0.15 then never
	component_secret = "puppet"         -- sends its MAM queries
end
