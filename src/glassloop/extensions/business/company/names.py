"""The words the sample company is made of: firms, people, places and goods."""

COMPANY = "Harlow & Jin Precision Molding"
DOMAIN = "harlowjin.example"
CURRENCY = "USD"

WAREHOUSES = (
    ("WH-001", "Dongguan Plant", "Dongguan", "plant"),
    ("WH-002", "Rotterdam Distribution Center", "Rotterdam", "distribution"),
    ("WH-003", "Chicago Distribution Center", "Chicago", "distribution"),
    ("WH-004", "Monterrey Plant", "Monterrey", "plant"),
    ("WH-005", "Spare Parts Store", "Dongguan", "spares"),
)
PLANTS = ("WH-001", "WH-004")
SPARES = "WH-005"
REGIONS = {"EMEA": "WH-002", "Americas": "WH-003", "APAC": "WH-001"}
COUNTRIES = {
    "EMEA": ("Germany", "France", "Netherlands", "United Kingdom", "Sweden", "Italy"),
    "Americas": ("United States", "Mexico", "Canada", "Brazil"),
    "APAC": ("China", "Japan", "South Korea", "Singapore", "Australia"),
}

MATERIALS = {
    "Resins": (
        "kg",
        (180, 620),
        ("ABS 757K", "PC 2407", "PP H4540", "PA66 GF30", "POM C27021", "TPE 60A", "PBT 4130", "PMMA 8N", "HDPE 5502",
         "PC/ABS 6600", "PPS 1140L", "PEI 1000"),
    ),
    "Colorants": ("kg", (800, 2400), ("Masterbatch Black", "Masterbatch White", "Masterbatch Signal Red",
                                      "Masterbatch RAL 5015", "UV Stabilizer", "Flame Retardant FR-12")),
    "Inserts": ("piece", (2, 9), ("Brass Insert M3", "Brass Insert M4", "Steel Bushing 6 mm", "Threaded Stud M5",
                                  "Contact Pin 0.64", "Spring Clip")),
    "Packaging": ("piece", (35, 160), ("Carton 400x300", "Carton 600x400", "PE Bag 30x40", "Foam Tray 24",
                                       "Pallet EUR-1", "Stretch Film")),
    "Electronics": ("piece", (12, 90), ("NTC Sensor 10K", "LED 0805 White", "Micro Switch", "Cable Harness 4-pin")),
}  # fmt: skip
SPARE_PARTS = (
    "Ejector Pin 4 mm", "Ejector Pin 6 mm", "Hot Runner Tip", "Heater Band 80 mm", "Thermocouple J", "Guide Bushing 20",
    "Hydraulic Seal Kit", "Nozzle Tip M30", "Check Ring 45 mm", "Limit Switch", "Cooling Hose 10 mm", "Mold Spring 25",
)  # fmt: skip
PRODUCTS = {
    "Housings": ("Router Housing", "Sensor Housing", "Meter Cover", "Charger Shell", "Camera Bezel", "Drill Housing",
                 "Display Frame", "Remote Shell"),
    "Connectors": ("4-pin Connector", "8-pin Connector", "Terminal Block", "Sealed Plug", "Fuse Holder", "Cable Gland"),
    "Gears": ("Spur Gear 24T", "Worm Gear", "Planet Carrier", "Ratchet Wheel", "Cam Disc", "Gear Cover"),
    "Automotive": ("Door Clip", "Air Vent Louver", "Cable Duct", "Mirror Base", "Pedal Pad", "Lamp Bracket",
                   "Wiper Cap"),
    "Medical": ("Pipette Tray", "Inhaler Body", "Syringe Flange", "Test Cassette", "Vial Cap", "Pump Housing"),
    "Consumer": ("Bottle Cap", "Toothbrush Handle", "Razor Handle", "Storage Lid", "Toy Wheel", "Hanger Clip"),
}  # fmt: skip

VENDOR_FIRST = ("Jade", "Northwind", "Delta", "Summit", "Pearl River", "Bluestone", "Kestrel", "Orient", "Alpine",
                "Granite", "Harbor", "Lotus", "Meridian", "Cobalt", "Evergreen", "Falcon", "Golden Bay", "Ironbridge",
                "Silverlake", "Redwood")  # fmt: skip
VENDOR_LAST = {
    "Resins": "Polymers", "Colorants": "Pigments", "Inserts": "Fasteners", "Packaging": "Packaging",
    "Electronics": "Components", "Spare parts": "Tooling",
}  # fmt: skip
VENDOR_COUNTRIES = ("China", "Germany", "United States", "Japan", "Mexico", "Taiwan", "Netherlands")
VENDORS_PER_CATEGORY = {"Resins": 8, "Colorants": 5, "Inserts": 5, "Packaging": 5, "Electronics": 4, "Spare parts": 5}

CUSTOMER_FIRST = ("Aster", "Brightwell", "Calder", "Dunmore", "Elster", "Fjord", "Glenrock", "Hanse", "Inari", "Juno",
                  "Kinetic", "Lumen", "Marlin", "Nordlys", "Orbis", "Pinnacle", "Quantum", "Rhine", "Sakura", "Tessera",
                  "Umbra", "Vela", "Westport", "Xenia", "Yarrow", "Zephyr")  # fmt: skip
INDUSTRIES = {
    "Automotive": ("Motors", "Mobility", "Autoparts"), "Medical": ("Medical", "Diagnostics", "Biotech"),
    "Electronics": ("Electronics", "Devices", "Instruments"), "Consumer goods": ("Home", "Brands", "Living"),
    "Industrial": ("Industries", "Drives", "Automation"),
}  # fmt: skip
LEAD_SOURCES = {"Trade fair": 3.0, "Website": 4.0, "Referral": 2.0, "Cold call": 1.5, "Partner": 1.5}

GIVEN = ("Anna", "Ben", "Chen", "Dora", "Emil", "Fang", "Grace", "Hugo", "Ines", "Jun", "Karin", "Liam", "Mei", "Nora",
         "Omar", "Paula", "Qiang", "Rosa", "Sven", "Tara", "Umar", "Vera", "Wei", "Xin", "Yuki", "Zoe")  # fmt: skip
FAMILY = ("Adler", "Becker", "Castillo", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ito", "Jansen", "Keller", "Li",
          "Moreno", "Novak", "Okafor", "Park", "Quinn", "Rossi", "Singh", "Tanaka", "Ueda", "Vargas", "Wang", "Xu",
          "Young", "Zhang")  # fmt: skip
DEPARTMENTS = {
    "Production": (70, "Machine Operator"), "Tooling": (18, "Mold Technician"), "Quality": (14, "Quality Engineer"),
    "Purchasing": (8, "Buyer"), "Sales": (14, "Account Manager"), "Finance": (8, "Accountant"),
    "IT": (8, "Systems Engineer"), "HR": (5, "HR Specialist"), "Logistics": (12, "Warehouse Clerk"),
    "Management": (3, "Director"),
}  # fmt: skip
SITES = ("Dongguan", "Monterrey", "Rotterdam", "Chicago")
